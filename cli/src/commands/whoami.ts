import type { Command } from 'commander';
import { ago } from '../screen.ts';
import { type GetCli, type JsonFlag, withJson } from './shared.ts';

export function build(command: Command, getCli: GetCli): void {
  withJson(command).action(async ({ json }: JsonFlag) => {
    const cli = await getCli();
    const { client, screen } = cli;
    const [me, token] = await Promise.all([client.getMe(), client.introspectToken()]);
    const { scopes, team_id, expires_at } = token;
    screen.show(
      { ...me, host: cli.host(), scopes, team_id, expires_at },
      {
        Platform: ({ host }) => host,
        Person: () => `${me.full_name} <${me.email}>${me.is_verified ? '' : ' (address not confirmed)'}`,
        Operator: () => (me.is_superuser ? 'yes' : ''),
        May: () => scopes.join(', '),
        Reaches: () => (team_id ? `the team ${team_id} alone` : 'all teams'),
        Expires: () => ago(expires_at, screen.isTerminal) || 'never',
      },
      { json },
    );
  });
}
