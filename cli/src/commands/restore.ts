import type { Command } from 'commander';
import type { PitRestore } from '../../../sdk/index.ts';
import { confirm } from '../ask.ts';
import type { Cli } from '../cli.ts';
import { Stop } from '../exit.ts';
import { count } from '../screen.ts';
import { readTime } from '../time-words.ts';
import { runWork } from '../work.ts';
import {
  type GetCli,
  type JsonFlag,
  SITE,
  type StageFlag,
  type WorkFlags,
  withJson,
  withNoWait,
  withStage,
  withYes,
  type YesFlag,
} from './shared.ts';

interface Flags extends JsonFlag, StageFlag, WorkFlags, YesFlag {
  at: string;
  dryRun?: boolean;
  filesOnly?: boolean;
  dbOnly?: boolean;
  deleteExtraFiles?: boolean;
}

export function build(command: Command, getCli: GetCli): void {
  withNoWait(withYes(withStage(withJson(command))))
    .argument('<site>', SITE)
    .requiredOption('--at <time>', 'to which moment: "10 minutes ago", "yesterday 14:05", "2026-11-17 14:05"')
    .option('--dry-run', 'only say what would change')
    .option('--files-only', 'leave the database as it is')
    .option('--db-only', 'leave the files as they are')
    .option('--delete-extra-files', 'delete files that were made since')
    .addHelpText(
      'after',
      '\nTimes are read in the time zone of the team that has the site. What is restored can be undone in the same way.',
    )
    .action(async (name: string, flags: Flags) => {
      if (flags.filesOnly && flags.dbOnly) throw new Stop('Either --files-only or --db-only, not both.');
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      const { team } = await cli.client.getSite({ params: { fqdn } });
      const point = readTime(flags.at, team.timezone);
      if (point > new Date()) throw new Stop(`${inZone(point, team.timezone)} has not come yet.`);
      const where = `${flags.stage ? 'the stage of ' : ''}${fqdn}`;
      const body = {
        restore_point: point.toISOString(),
        for_stage_site: flags.stage ?? false,
        restore_db: !flags.filesOnly,
        restore_cms_content: !flags.dbOnly,
        delete_extra_files: flags.deleteExtraFiles ?? false,
      };
      // Somebody who is asked first sees what they are asked.
      const planned = flags.dryRun || (!flags.yes && cli.screen.isInteractive);
      if (planned) {
        const plan = await run(cli, `Comparing ${where}`, fqdn, { ...body, is_dry_run: true }, {});
        if (flags.dryRun && flags.json) return cli.screen.json(plan, flags.json);
        report(cli, plan, team.timezone, 'would');
      }
      if (flags.dryRun) return;
      await confirm(cli, `Restore ${where} to ${inZone(point, team.timezone)}?`, flags.yes);
      const restored = await run(cli, `Restoring ${where}`, fqdn, body, flags);
      if (flags.json) return cli.screen.json(restored, flags.json);
      if (flags.wait === false) return;
      report(cli, restored, team.timezone, 'did');
      cli.screen.done(`${where} is as it was at ${inZone(new Date(restored.backup_point ?? point), team.timezone)}.`);
      const undo = `siteyard restore ${fqdn}${flags.stage ? ' --stage' : ''} --at ${restored.undo_point}`;
      if (restored.undo_point) cli.screen.note(`Undo it with: ${undo}`);
    });
}

async function run(
  cli: Cli,
  title: string,
  fqdn: string,
  body: Parameters<Cli['client']['createPitRestore']>[0]['body'],
  flags: WorkFlags,
): Promise<PitRestore> {
  const { answer, event } = await runWork(cli, title, flags, cli.client.createPitRestore, { params: { fqdn }, body });
  if (!event) return answer;
  return (await cli.client.getPitRestore({ params: { fqdn, pit_restore_id: answer.id } })) as PitRestore;
}

function report({ screen }: Cli, restore: PitRestore, zone: string, verb: 'would' | 'did'): void {
  const n = (value: number | null) => value ?? 0;
  const changed = [
    [n(restore.num_files_added), 'file', 'brought back'],
    [n(restore.num_files_restored), 'file', 'changed'],
    [n(restore.num_files_deleted), 'file', 'deleted'],
    [n(restore.num_tables_restored), 'table', 'restored'],
    [n(restore.num_tables_deleted), 'table', 'deleted'],
  ] as const;
  const parts = changed.flatMap(([number, thing, what]) => (number > 0 ? [`${count(number, thing)} ${what}`] : []));
  if (restore.backup_point) screen.print(`The backup of ${inZone(new Date(restore.backup_point), zone)}.`);
  const intro = verb === 'would' ? 'It would mean: ' : '';
  screen.print(parts.length > 0 ? `${intro}${parts.join(', ')}.` : 'Nothing differs from it.');
  if (restore.num_tables_failed)
    screen.print(screen.paint('red', `${count(restore.num_tables_failed, 'table')} can not be restored.`));
}

const inZone = (at: Date, zone: string) =>
  `${at.toLocaleString('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })} (${zone})`;
