import type { Command } from 'commander';
import { each } from '../../../sdk/index.ts';
import { confirm } from '../ask.ts';
import { Stop } from '../exit.ts';
import { ago, bytes } from '../screen.ts';
import { runWork } from '../work.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  limitOf,
  limitOption,
  sub,
  type TeamFlag,
  take,
  withJson,
  withTeam,
  withYes,
  type YesFlag,
} from './shared.ts';

export function build(team: Command, getCli: GetCli): void {
  withJson(sub(team, 'list', 'Your teams').alias('ls'))
    .option(...limitOption)
    .action(async ({ json, limit }: JsonFlag & { limit: string }) => {
      const cli = await getCli();
      const inUse = cli.settings.team(cli.host());
      cli.screen.list(
        await take(each(cli.client.listTeams), limitOf({ limit })),
        {
          Name: ({ name }) => name,
          Role: ({ role }) => role ?? '',
          Plan: ({ plan_type_name }) => plan_type_name,
          Storage: ({ storage_usage }) => bytes(storage_usage),
          Zone: ({ timezone }) => timezone,
          Id: ({ id }) => id,
          'In use': ({ id }) => (id === inUse ? 'yes' : ''),
        },
        { json, empty: 'No teams.' },
      );
    });

  withJson(sub(team, 'show', 'One team').argument('[team]', 'its name or id')).action(
    async (name: string | undefined, { json }: JsonFlag) => {
      const cli = await getCli();
      cli.screen.show(
        await cli.team(name),
        {
          Name: (found) => found.name,
          Id: ({ id }) => id,
          Role: ({ role }) => role ?? '',
          Plan: ({ plan_type_name }) => plan_type_name,
          'Time zone': ({ timezone }) => timezone,
          Storage: ({ storage_usage, storage_usage_percentage }) =>
            `${bytes(storage_usage)} (${storage_usage_percentage}%)`,
          Visits: ({ current_cycle_visits, visits_usage_percentage }) =>
            `${current_cycle_visits} this cycle (${visits_usage_percentage}%)`,
        },
        { json },
      );
    },
  );

  sub(team, 'use', 'The team that is meant where none is named')
    .argument('<team>', 'its name or id')
    .action(async (name: string) => {
      const cli = await getCli();
      const found = await cli.team(name);
      cli.settings.useTeam(cli.host(), found.id);
      cli.screen.done(`${found.name} is meant from now on.`);
    });

  withTeam(sub(team, 'update', 'Change a team'))
    .option('--name <name>', 'its new name')
    .option('--timezone <zone>', 'such as Europe/Berlin')
    .action(async (flags: TeamFlag & { name?: string; timezone?: string }) => {
      const cli = await getCli();
      const { id } = await cli.team(flags.team);
      const changed = await cli.client.updateTeam({
        params: { team_id: id },
        body: given({ name: flags.name, timezone: flags.timezone }),
      });
      cli.screen.done(`${changed.name} is changed.`);
    });

  withTeam(withJson(sub(team, 'members', 'Who is in a team')))
    .option(...limitOption)
    .action(async ({ json, team: name, limit }: JsonFlag & TeamFlag & { limit: string }) => {
      const cli = await getCli();
      const params = { team_id: (await cli.team(name)).id };
      cli.screen.list(
        await take(each(cli.client.listMembers, { params }), limitOf({ limit })),
        {
          Name: ({ user }) => user.full_name,
          Address: ({ user }) => user.email,
          Role: ({ role }) => role,
          Joined: ({ joined_at }) => ago(joined_at, cli.screen.isTerminal),
        },
        { json, empty: 'Nobody.' },
      );
    });

  withTeam(withJson(sub(team, 'invites', 'Who is invited into a team')))
    .option(...limitOption)
    .action(async ({ json, team: name, limit }: JsonFlag & TeamFlag & { limit: string }) => {
      const cli = await getCli();
      const params = { team_id: (await cli.team(name)).id };
      cli.screen.list(
        await take(each(cli.client.listInvites, { params }), limitOf({ limit })),
        {
          Address: ({ target_email }) => target_email,
          Role: ({ role }) => role,
          Expires: ({ expiry }) => ago(expiry, cli.screen.isTerminal),
          Id: ({ id }) => id,
        },
        { json, empty: 'Nobody is invited.' },
      );
    });

  withTeam(withJson(sub(team, 'invite', 'Invite somebody into a team').argument('<address>', 'their email address')))
    .option('--role <role>', 'admin, member or viewer', 'member')
    .option('--name <name>', 'their first name')
    .option('--message <text>', 'what the mail says besides')
    .action(
      async (
        address: string,
        flags: JsonFlag & TeamFlag & { role: 'admin' | 'member' | 'viewer'; name?: string; message?: string },
      ) => {
        const cli = await getCli();
        const team_id = (await cli.team(flags.team)).id;
        const { answer } = await runWork(cli, 'Sending the mail', {}, cli.client.createInvite, {
          params: { team_id },
          body: {
            target_email: address,
            first_name: flags.name ?? (address.split('@')[0] as string),
            role: flags.role,
            ...given({ message: flags.message }),
          },
        });
        if (flags.json) return cli.screen.json(answer, flags.json);
        cli.screen.done(`${address} is invited.`);
        if (answer.link) cli.screen.print(answer.link);
      },
    );

  withYes(
    withTeam(sub(team, 'remove', 'Take somebody out of a team').argument('<address>', 'their email address')),
  ).action(async (address: string, { team: name, yes }: TeamFlag & YesFlag) => {
    const cli = await getCli();
    const { id: team_id, name: teamName } = await cli.team(name);
    let member: string | undefined;
    for await (const { user } of each(cli.client.listMembers, { params: { team_id } }))
      if (user.email.toLowerCase() === address.toLowerCase()) member = user.id;
    if (!member) throw new Stop(`${address} is not in ${teamName}.`, { advice: 'See `siteyard team members`.' });
    await confirm(cli, `Take ${address} out of ${teamName}?`, yes);
    await cli.client.removeMember({ params: { team_id, team_member_user_id: member } });
    cli.screen.done(`${address} is no longer in ${teamName}.`);
  });
}
