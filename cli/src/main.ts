import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { Cli } from './cli.ts';
import { EXIT } from './exit.ts';

type Build = (command: Command, cli: () => Promise<Cli>) => void;

/** Each group of commands is loaded when it is called, so that one waits for what one uses. */
const GROUPS: Record<string, { about: string; load: () => Promise<{ build: Build }> }> = {
  login: { about: 'Sign in, in the browser or with a token', load: () => import('./commands/login.ts') },
  logout: { about: 'Sign out, and end the token', load: () => import('./commands/logout.ts') },
  whoami: { about: 'Who is signed in, and what the token may', load: () => import('./commands/whoami.ts') },
  open: { about: 'Open the dashboard in the browser', load: () => import('./commands/open.ts') },
  site: { about: 'Sites: list, create, open, log, shell, sleep, delete', load: () => import('./commands/site.ts') },
  backup: { about: 'What the time machine has of a site', load: () => import('./commands/backup.ts') },
  restore: { about: 'Bring a site back to any minute', load: () => import('./commands/restore.ts') },
  stage: { about: 'A copy of a site to work on', load: () => import('./commands/stage.ts') },
  git: { about: 'Repositories that sites follow', load: () => import('./commands/git.ts') },
  template: { about: 'What sites can begin with', load: () => import('./commands/template.ts') },
  team: { about: 'Teams, members and invites', load: () => import('./commands/team.ts') },
  ticket: { about: 'Ask for help', load: () => import('./commands/ticket.ts') },
  event: { about: 'What happens and what happened', load: () => import('./commands/event.ts') },
  api: { about: 'Call any operation of the API', load: () => import('./commands/api.ts') },
  mcp: { about: 'Be an MCP server on stdin and stdout', load: () => import('./commands/mcp.ts') },
  completion: {
    about: 'A script that completes commands in your shell',
    load: () => import('./commands/completion.ts'),
  },
};
const EPILOGUE = `
Examples:
  $ siteyard login
  $ siteyard site create blog
  $ siteyard site shell blog.example.com -- wp plugin list
  $ siteyard restore blog.example.com --at "10 minutes ago" --dry-run
  $ siteyard site list --json fqdn,busy

Exit codes: 0 done, 1 failed, 2 cancelled, 4 sign in first.
Environment: SITEYARD_URL, SITEYARD_TOKEN, SITEYARD_TEAM, NO_COLOR.`;

let made: Cli | undefined;
let hostFlag: string | undefined;
let insecureFlag = false;
async function cli(): Promise<Cli> {
  if (!made) {
    const { Cli } = await import('./cli.ts');
    made = new Cli();
    made.hostFlag = hostFlag;
    made.insecureFlag = insecureFlag;
  }
  return made;
}

/** The whole tree is made only for whoever asks for all of it. */
export async function createProgram(wanted: string | undefined): Promise<Command> {
  const program = new Command('siteyard')
    .description('Siteyard on the command line: sites, backups, staging, teams and tickets.')
    .version(manifest.version, '-v, --version', 'Show the version')
    .option('--host <address>', 'The platform, where it is not the one of the last sign-in')
    .option('--insecure', 'Also over http to another machine, where the token can be read on the way')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError('(add --help to see how it is used)')
    .enablePositionalOptions()
    .exitOverride()
    .on('option:host', (value: string) => {
      hostFlag = value;
    })
    .on('option:insecure', () => {
      insecureFlag = true;
    });
  for (const [name, { about, load }] of Object.entries(GROUPS)) {
    const command = program.command(name).description(about).copyInheritedSettings(program);
    if (wanted === name || wanted === '*') (await load()).build(command, cli);
  }
  return program;
}

async function main(argv: string[]): Promise<number> {
  if (argv[0] === '__complete') {
    const { complete } = await import('./complete.ts');
    await complete(await createProgram('*'), argv.slice(1), cli);
    return EXIT.ok;
  }
  const words = argv.filter((word, at) => !word.startsWith('-') && argv[at - 1] !== '--host');
  const program = await createProgram(words[0] === 'help' ? words[1] : words[0]);
  try {
    await program.parseAsync(argv.length > 0 ? argv : ['--help'], { from: 'user' });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode;
    const { explain } = await import('./explain.ts');
    const { lines, exitCode } = explain(error, made?.settings.host(hostFlag));
    const { screen } = await cli();
    const mark = exitCode === EXIT.cancelled ? screen.paint('yellow', '!') : screen.paint('red', '✗');
    screen.note(`${mark} ${lines.join('\n  ')}`);
    return exitCode;
  }
}

// Ctrl-C is a cancellation, unless a command that waits for work has its own word to say.
process.on('SIGINT', () => {
  if (process.listenerCount('SIGINT') === 1) process.exit(EXIT.cancelled);
});
// Whoever reads our output may have enough of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
);
void main(process.argv.slice(2)).then((exitCode) => {
  // Connections that are kept for a next request would keep us; what is written is waited for.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
});
