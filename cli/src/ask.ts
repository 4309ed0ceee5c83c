import type { Cli } from './cli.ts';
import { cancelled, Stop } from './exit.ts';
import { harmless } from './screen.ts';

const prompts = () => import('@clack/prompts');
/** Questions are no result. */
const output = process.stderr;

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === 'symbol') throw cancelled();
  return answer as Exclude<T, symbol>;
}

/** A yes or no. Without a terminal only --yes says yes. */
export async function confirm(cli: Cli, message: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  requireSomebody(cli, 'Add --yes to go ahead without being asked.');
  const { confirm: ask } = await prompts();
  if (!answered(await ask({ message: harmless(message), initialValue: false, output }))) throw cancelled();
}

/** What can not be taken back is asked for by its name. */
export async function confirmByName(cli: Cli, message: string, name: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  requireSomebody(cli, 'Add --yes to go ahead without being asked.');
  cli.screen.note(message);
  const typed = await askText(cli, `Type ${name} to confirm`, {});
  if (typed.trim().toLowerCase() !== name.toLowerCase()) throw cancelled('That is not its name: nothing was changed.');
}

export async function askText(
  cli: Cli,
  message: string,
  { placeholder, advice }: { placeholder?: string; advice?: string },
): Promise<string> {
  requireSomebody(cli, advice);
  const { text } = await prompts();
  const options = { message: harmless(message), output, ...(placeholder && { placeholder }) };
  return answered(
    await text({ ...options, validate: (value) => (value?.trim() ? undefined : 'Something is needed here') }),
  );
}

export async function choose<T extends string>(
  cli: Cli,
  message: string,
  options: { value: T; label: string }[],
  advice: string,
): Promise<T> {
  requireSomebody(cli, advice);
  const { select } = await prompts();
  return answered(await select<string>({ message: harmless(message), options, output })) as T;
}

function requireSomebody(cli: Cli, advice: string | undefined): void {
  if (!cli.screen.isInteractive)
    throw new Stop('This needs an answer, and there is no terminal to ask at.', { ...(advice && { advice }) });
}

/** All that is piped in. */
export async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
