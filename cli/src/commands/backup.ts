import type { Command } from 'commander';
import { ago, bytes } from '../screen.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  limitOf,
  SITE,
  type StageFlag,
  sub,
  withJson,
  withStage,
} from './shared.ts';

export function build(backup: Command, getCli: GetCli): void {
  withStage(withJson(sub(backup, 'list', 'The newest backups of a site').alias('ls').argument('<site>', SITE)))
    .option('-L, --limit <number>', 'how many at most', '20')
    .action(async (name: string, { json, stage, limit }: JsonFlag & StageFlag & { limit: string }) => {
      const cli = await getCli();
      const found = await cli.client.getBackups({
        params: { fqdn: await cli.siteName(name) },
        query: { number_to_fetch: limitOf({ limit }), ...given({ stage }) },
      });
      const { screen } = cli;
      screen.list(
        Array.isArray(found) ? found : [found],
        {
          Time: ({ created_at }) => created_at,
          Age: ({ created_at }) => (screen.isTerminal ? ago(created_at, true) : ''),
          Added: ({ files_added }) => String(files_added),
          Changed: ({ files_changed }) => String(files_changed),
          Removed: ({ files_removed }) => String(files_removed),
          Stored: ({ stored_bytes }) => bytes(stored_bytes),
          Hash: ({ commit_hash }) => commit_hash.slice(0, 12),
        },
        { json, empty: 'No backups yet; the first one is taken within a minute.' },
      );
    });
}
