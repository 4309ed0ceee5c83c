import type { Command } from 'commander';
import { messages, type SiteLogEntry } from '../../../sdk/index.ts';
import type { Cli } from '../cli.ts';
import { readTime } from '../time-words.ts';
import { type GetCli, given, type JsonFlag, limitOf, limitOption, SITE, sub, withJson } from './shared.ts';

const STREAM = { method: 'GET', path: '/f/api/v1/site/{fqdn}/log/stream' };

interface Flags extends JsonFlag {
  follow?: boolean;
  kind: 'error' | 'access';
  since?: string;
  until?: string;
  search?: string;
  status?: string;
  slowerThan?: string;
  limit: string;
}

export function buildLogs(site: Command, getCli: GetCli): void {
  withJson(sub(site, 'logs', 'What went wrong in a site, or who visited it').alias('log').argument('<site>', SITE))
    .option('-f, --follow', 'go on with what is written from now on')
    .option('--kind <kind>', 'error or access', 'error')
    .option('--since <time>', 'from then on: "10 minutes ago", "yesterday 14:05"')
    .option('--until <time>', 'up to then')
    .option('--search <text>', 'only lines with this in them')
    .option('--status <status>', 'only visits that were answered so, such as 404 or 5xx')
    .option('--slower-than <ms>', 'only visits that took at least so many milliseconds')
    .option(...limitOption)
    .action(async (name: string, flags: Flags) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      const { kind, search, status } = flags;
      const slow = flags.slowerThan === undefined ? undefined : Number(flags.slowerThan);
      const query = given({ kind, search, status, min_duration_ms: slow });
      const zone = flags.since || flags.until ? (await cli.client.getSite({ params: { fqdn } })).team.timezone : 'UTC';
      const time = (text: string | undefined) => (text === undefined ? undefined : readTime(text, zone).toISOString());
      const { results } = await cli.client.listSiteLog({
        params: { fqdn },
        query: {
          ...query,
          ...given({ since: time(flags.since), until: time(flags.until) }),
          size: Math.min(100, limitOf(flags)),
        },
      });
      // They come newest first, and are read as they happened.
      const entries = results.reverse();
      if (flags.json && !flags.follow) return cli.screen.json(entries, flags.json);
      for (const entry of entries) show(cli, entry, flags);
      if (entries.length === 0 && !flags.follow && cli.screen.isTerminal) cli.screen.note('Nothing in the log.');
      if (!flags.follow) return;
      for await (const entry of messages(cli.client, STREAM, { params: { fqdn }, query }))
        show(cli, entry as SiteLogEntry, flags);
    });
}

function show({ screen }: Cli, entry: SiteLogEntry, { json }: JsonFlag): void {
  if (json) {
    screen.jsonLine(entry);
    return;
  }
  const at = screen.paint('dim', entry.at);
  if (entry.kind === 'access') {
    const status = screen.paint(
      entry.status >= 500 ? 'red' : entry.status >= 400 ? 'yellow' : 'green',
      String(entry.status),
    );
    screen.print(`${at} ${status} ${entry.method} ${entry.path} ${entry.duration_ms} ms ${entry.client_address}`);
  } else if (entry.kind === 'error') {
    const place = entry.file === null ? '' : ` (${entry.file}:${entry.line})`;
    screen.print(
      `${at} ${screen.paint(entry.level === 'fatal' ? 'red' : 'yellow', entry.level)} ${entry.message + place}`,
    );
  } else screen.print(`${at} ${entry.message}`);
}
