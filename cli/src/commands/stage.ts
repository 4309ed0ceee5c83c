import type { Command } from 'commander';
import { confirm, confirmByName } from '../ask.ts';
import { readTime } from '../time-words.ts';
import { runWork } from '../work.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  SITE,
  sub,
  type WorkFlags,
  withJson,
  withNoWait,
  withYes,
  type YesFlag,
} from './shared.ts';

export function build(stage: Command, getCli: GetCli): void {
  withNoWait(withJson(sub(stage, 'create', 'Make a staging site').argument('<site>', SITE)))
    .option('--subdomain <name>', 'what it is called; otherwise after the site')
    .option('--at <time>', 'as the site was then: "yesterday 14:05"')
    .option('--branch <branch>', 'follow this branch of the repository of the site')
    .action(
      async (name: string, flags: JsonFlag & WorkFlags & { subdomain?: string; at?: string; branch?: string }) => {
        const cli = await getCli();
        const fqdn = await cli.siteName(name);
        const { team } = await cli.client.getSite({ params: { fqdn } });
        const { answer } = await runWork(cli, `Making a stage of ${fqdn}`, flags, cli.client.createStage, {
          params: { fqdn },
          body: {
            subdomain: flags.subdomain ?? `stage-${fqdn.split('.')[0]}`.slice(0, 40),
            ...(flags.at && { restore_point: readTime(flags.at, team.timezone).toISOString() }),
            ...given({ git_staging_branch: flags.branch }),
          },
        });
        if (flags.json) return cli.screen.json(answer, flags.json);
        cli.screen.done(
          `The stage of ${fqdn} ${flags.wait === false ? 'is being made' : 'is ready'}: ${cli.siteAddress(answer.fqdn)}`,
        );
      },
    );

  withJson(sub(stage, 'changes', 'What differs between a stage and its site').argument('<site>', SITE)).action(
    async (name: string, { json }: JsonFlag) => {
      const cli = await getCli();
      const changes = await cli.client.compareStage({ params: { fqdn: await cli.siteName(name) } });
      const { screen } = cli;
      if (json) return screen.json(changes, json);
      for (const { text } of changes.summary) screen.print(text);
      screen.list(
        changes.changed_files,
        {
          File: ({ path }) => path,
          Stage: (file) => file.stage ?? '',
          Live: ({ live }) => live ?? '',
        },
        { empty: changes.summary.length === 0 ? 'Nothing differs.' : 'No files differ.' },
      );
      const both = changes.rows.both + changes.files.both;
      if (both > 0)
        screen.note(
          screen.paint('yellow', `${both} were changed on both sides: see --on-conflict of \`siteyard stage commit\`.`),
        );
    },
  );

  withNoWait(withYes(sub(stage, 'commit', 'Bring what a stage has changed to its site').argument('<site>', SITE)))
    .option('--on-conflict <side>', 'where both sides changed: stage, live or refuse', 'refuse')
    .option('--replace', 'make the site as the stage is, instead of merging')
    .action(
      async (
        name: string,
        flags: WorkFlags & YesFlag & { onConflict: 'stage' | 'live' | 'refuse'; replace?: boolean },
      ) => {
        const cli = await getCli();
        const fqdn = await cli.siteName(name);
        const params = { fqdn };
        const changes = await cli.client.compareStage({ params });
        for (const { text } of changes.summary) cli.screen.note(text);
        const { rows, files } = changes;
        cli.screen.note(`The stage changed ${rows.stage + rows.both} rows and ${files.stage + files.both} files.`);
        const question = flags.replace
          ? `Replace ${fqdn} with its stage? What changed on it since is lost.`
          : `Bring this to ${fqdn}?`;
        await confirm(cli, question, flags.yes);
        await runWork(cli, `Committing to ${fqdn}`, flags, cli.client.commitStage, {
          params,
          body: { plan: changes.plan, mode: flags.replace ? 'replace' : 'merge', on_conflict: flags.onConflict },
        });
        cli.screen.done(flags.wait === false ? 'The commit goes on.' : `${fqdn} has what the stage changed.`);
      },
    );

  withNoWait(withYes(sub(stage, 'refresh', 'Make a stage anew from its site').argument('<site>', SITE))).action(
    async (name: string, flags: WorkFlags & YesFlag) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      await confirm(cli, 'What was changed on the stage is lost. Go on?', flags.yes);
      await runWork(cli, `Making the stage of ${fqdn} anew`, flags, cli.client.refreshStage, { params: { fqdn } });
      cli.screen.done(`The stage is as ${fqdn} is.`);
    },
  );

  withYes(sub(stage, 'delete', 'Delete a stage for good').argument('<site>', SITE)).action(
    async (name: string, { yes }: YesFlag) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      const { site_stage } = await cli.client.getSite({ params: { fqdn } });
      const staged = String((site_stage as { fqdn?: string } | null)?.fqdn ?? fqdn);
      await confirmByName(cli, `This deletes the stage ${staged} for good.`, staged, yes);
      await cli.client.deleteStage({ params: { fqdn } });
      cli.screen.done(`${staged} is deleted.`);
    },
  );
}
