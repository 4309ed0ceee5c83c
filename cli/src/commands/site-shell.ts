import type { Command } from 'commander';
import { readInput } from '../ask.ts';
import { Stop } from '../exit.ts';
import { type GetCli, given, SITE, type StageFlag, sub, withStage } from './shared.ts';

interface Flags extends StageFlag {
  cwd?: string;
  stdin?: boolean;
  snapshot?: boolean;
}

export function buildShell(site: Command, getCli: GetCli): void {
  withStage(sub(site, 'shell', 'A shell in the sandbox of a site, or one command in it').argument('<site>', SITE))
    .argument('[command...]', 'what to run; without one a terminal is opened')
    .option('--cwd <folder>', 'where the command starts, below wp-content')
    .option('--stdin', 'let the command read what is piped in here')
    .option('--snapshot', 'take a backup before the command')
    .passThroughOptions()
    .addHelpText('after', SHELL_HELP)
    .action(async (name: string, typed: string[], flags: Flags) => {
      // Whatever stands behind the site is the command's; the two dashes are ours.
      const words = typed[0] === '--' ? typed.slice(1) : typed;
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      if (words.length === 0) {
        if (!cli.screen.isInteractive)
          throw new Stop('There is no terminal here.', {
            advice: `Name a command: siteyard site shell ${fqdn} -- wp plugin list`,
          });
        const { openTerminal } = await import('../terminal.ts');
        process.exitCode = await openTerminal(cli, fqdn, flags.stage ?? false);
        return;
      }
      const result = await cli.client.runSiteCommand({
        params: { fqdn },
        body: {
          cmd: words.join(' '),
          ...given({ cwd: flags.cwd, stage: flags.stage, snapshot_first: flags.snapshot }),
          ...(flags.stdin && { stdin: String(await readInput()) }),
        },
      });
      process.stdout.write(result.stdout);
      process.stderr.write(result.stderr);
      if (result.truncated) cli.screen.note('(It wrote more than 1 MiB to a stream, which was cut.)');
      process.exitCode = result.exit_code;
    });
}

const SHELL_HELP = `
The words of a command are put together and read by bash, as ssh does it. Its exit code is that of siteyard.

  $ siteyard site shell blog.example.com -- wp plugin list
  $ siteyard site shell blog.example.com 'ls -l | wc -l'
  $ siteyard site shell blog.example.com          a terminal; leave it with exit, or ~. on a line of its own`;
