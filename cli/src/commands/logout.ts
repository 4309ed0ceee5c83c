import type { Command } from 'commander';
import type { GetCli } from './shared.ts';

export function build(command: Command, getCli: GetCli): void {
  command.action(async () => {
    const cli = await getCli();
    const host = cli.host();
    // A token that does not count any more is gone all the same.
    await cli.client.signOut().catch((error: { status?: number }) => {
      if (error.status !== 401) throw error;
    });
    const isFromEnvironment = cli.settings.isTokenFromEnvironment(host);
    cli.settings.signOut(host);
    cli.screen.done(`Signed out of ${host}; its token is ended.`);
    if (isFromEnvironment) cli.screen.note('It was the one of SITEYARD_TOKEN: unset that.');
  });
}
