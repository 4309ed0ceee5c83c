import type { Command } from 'commander';
import { openOrPrint } from '../browser.ts';
import type { GetCli } from './shared.ts';

export function build(command: Command, getCli: GetCli): void {
  command.option('--print', 'only show the address').action(async ({ print }: { print?: boolean }) => {
    const cli = await getCli();
    await openOrPrint(cli, cli.host(), print);
  });
}
