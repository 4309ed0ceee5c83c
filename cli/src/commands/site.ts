import { type Command, Option } from 'commander';
import { each, type Site } from '../../../sdk/index.ts';
import { confirmByName } from '../ask.ts';
import { openOrPrint } from '../browser.ts';
import { ago, bytes } from '../screen.ts';
import { runWork } from '../work.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  limitOf,
  limitOption,
  SITE,
  type StageFlag,
  sub,
  type TeamFlag,
  take,
  type WorkFlags,
  withJson,
  withNoWait,
  withStage,
  withTeam,
  withYes,
  type YesFlag,
} from './shared.ts';
import { buildCreate } from './site-create.ts';
import { buildLogs } from './site-logs.ts';
import { buildShell } from './site-shell.ts';

export function build(site: Command, getCli: GetCli): void {
  withTeam(withJson(sub(site, 'list', 'Your sites').alias('ls')))
    .option(...limitOption)
    .action(async ({ json, team, limit }: JsonFlag & TeamFlag & { limit: string }) => {
      const cli = await getCli();
      const query = team === undefined ? {} : { team_id: (await cli.team(team)).id };
      const wanted = limitOf({ limit });
      const sites = await take(
        each(cli.client.listSites, { query: { ...query, size: Math.min(wanted, 100) } }),
        wanted,
      );
      const { screen } = cli;
      screen.list(
        sites,
        {
          Name: ({ fqdn }) => fqdn,
          State: stateOf,
          Team: ({ team: { name } }) => name,
          Storage: ({ current_storage }) => bytes(current_storage),
          Created: ({ created_at }) => ago(created_at, screen.isTerminal),
        },
        { json, empty: 'No sites yet. Make one: siteyard site create' },
      );
    });

  withJson(sub(site, 'show', 'One site').argument('<site>', SITE)).action(async (name: string, { json }: JsonFlag) => {
    const cli = await getCli();
    const found = await cli.client.getSite({ params: { fqdn: await cli.siteName(name) } });
    const { isTerminal } = cli.screen;
    cli.screen.show(
      found,
      {
        Name: ({ fqdn }) => fqdn,
        Address: ({ fqdn }) => cli.siteAddress(fqdn),
        State: stateOf,
        Team: ({ team }) => team.name,
        Storage: ({ current_storage }) => bytes(current_storage),
        Visits: ({ current_cycle_visits }) => `${current_cycle_visits} this cycle`,
        Git: ({ git_url }) => git_url ?? '',
        Stage: ({ site_stage }) => String((site_stage as { fqdn?: string } | null)?.fqdn ?? ''),
        'Restorable from': ({ min_restore_point }) => ago(min_restore_point, isTerminal),
        Created: ({ created_at }) => ago(created_at, isTerminal),
      },
      { json },
    );
  });

  buildCreate(site, getCli);

  withStage(sub(site, 'open', 'Open a site in the browser').argument('<site>', SITE))
    .option('--dashboard', 'its page in the dashboard')
    .option('--print', 'only show the address')
    .action(async (name: string, flags: StageFlag & { dashboard?: boolean; print?: boolean }) => {
      const cli = await getCli();
      const { fqdn, site_stage } = await cli.client.getSite({ params: { fqdn: await cli.siteName(name) } });
      const stage = (site_stage as { fqdn?: string } | null)?.fqdn;
      const opened = flags.stage && stage ? stage : fqdn;
      await openOrPrint(cli, flags.dashboard ? `${cli.host()}/sites/${fqdn}` : cli.siteAddress(opened), flags.print);
    });

  withStage(sub(site, 'login', 'Sign in to the admin area of a site, without its password').argument('<site>', SITE))
    .option('--print', 'only show the address; it works once, within a minute')
    .action(async (name: string, { stage, print }: StageFlag & { print?: boolean }) => {
      const cli = await getCli();
      const params = { fqdn: await cli.siteName(name) };
      const { url } = await cli.client.createSiteLogin({ params, query: given({ stage }) });
      await openOrPrint(cli, url, print);
    });

  buildLogs(site, getCli);
  buildShell(site, getCli);

  withNoWait(sub(site, 'sleep', 'End what runs of a site; the next visitor wakes it').argument('<site>', SITE)).action(
    async (name: string, flags: WorkFlags) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      await runWork(cli, `Putting ${fqdn} to sleep`, flags, cli.client.sleepSite, { params: { fqdn } });
      cli.screen.done(`${fqdn} sleeps.`);
    },
  );

  withNoWait(
    sub(site, 'move', 'Move a site to another kind of database; its backups stay')
      .argument('<site>', SITE)
      .addOption(
        new Option('--database <kind>', 'Where its rows go').choices(['sqlite', 'mariadb']).default('mariadb'),
      ),
  ).action(async (name: string, { database, ...flags }: WorkFlags & { database: 'sqlite' | 'mariadb' }) => {
    const cli = await getCli();
    const fqdn = await cli.siteName(name);
    const body = { database };
    await runWork(cli, `Moving ${fqdn}`, flags, cli.client.moveSite, { params: { fqdn }, body });
    cli.screen.done(`${fqdn} has its rows in ${database === 'mariadb' ? 'MariaDB' : 'SQLite'}.`);
  });

  withNoWait(withYes(sub(site, 'delete', 'Delete a site and its stage').argument('<site>', SITE))).action(
    async (name: string, flags: WorkFlags & YesFlag) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      await cli.client.getSite({ params: { fqdn } });
      await confirmByName(
        cli,
        `This deletes ${fqdn} with its stage. An operator can bring it back for seven days.`,
        fqdn,
        flags.yes,
      );
      await runWork(cli, `Deleting ${fqdn}`, flags, cli.client.deleteSite, { params: { fqdn } });
      cli.screen.done(flags.wait === false ? `${fqdn} is being deleted.` : `${fqdn} is deleted.`);
    },
  );
}

export function stateOf({ team, busy, is_sleeping }: Site): string {
  if (!team.is_active) return 'suspended';
  if (team.is_expired) return 'unpaid';
  if (busy !== null) return String(busy).replaceAll('_', ' ');
  return is_sleeping ? 'asleep' : 'ready';
}
