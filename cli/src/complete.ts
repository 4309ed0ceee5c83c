import type { Command } from 'commander';
import type { Cli } from './cli.ts';

const PATIENCE_MS = 1_500;

/** The words that may stand where the last one is, each with what it means behind a tab. For the scripts of `siteyard completion`. */
export async function complete(program: Command, words: string[], getCli: () => Promise<Cli>): Promise<void> {
  const last = words.at(-1) ?? '';
  let command = program;
  let places = 0;
  for (const word of words.slice(0, -1)) {
    if (word.startsWith('-')) continue;
    const below = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (below) command = below;
    else places++;
  }
  const found: [string, string][] = last.startsWith('-')
    ? command.options.flatMap(({ long, description }) => (long ? [[long, description] as [string, string]] : []))
    : command.commands.map((each) => [each.name(), each.description()]);
  if (!last.startsWith('-') && command.registeredArguments[places]?.name() === 'site')
    found.push(...(await siteNames(getCli)).map((name): [string, string] => [name, 'site']));
  if (command.name() === 'completion') found.push(['bash', ''], ['zsh', ''], ['fish', '']);
  const fitting = found.filter(([word]) => word.startsWith(last));
  process.stdout.write(fitting.map(([word, about]) => `${word}\t${about}\n`).join(''));
}

/** Whoever waits for a name types it themselves meanwhile. */
async function siteNames(getCli: () => Promise<Cli>): Promise<string[]> {
  try {
    const { client } = await getCli();
    const { results } = await client.listSites({ query: { size: 100 }, signal: AbortSignal.timeout(PATIENCE_MS) });
    return results.map(({ fqdn }) => fqdn);
  } catch {
    return [];
  }
}
