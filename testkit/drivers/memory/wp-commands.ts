import { setTimeout as sleep } from 'node:timers/promises';
import { TIMEOUT_EXIT_CODE, UNKNOWN_EXIT_CODE } from '#runtimes/commands.ts';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { readProgram, runProgram } from './program.ts';
import { tellSoftware } from './software.ts';
import type { Turn } from './turn.ts';

/** Where a command names a file: as the site's own PHP would see it, or below the folder that it starts in. */
const CONTENT = /^(?:\/site\/wordpress|\.)?\/wp-content\//;

interface Output {
  out: string;
  err: string;
}

/** Runs a command of a site: those of wp-cli that the platform uses, and programs (program.ts). */
export async function runCommand(turn: Turn, command: Command): Promise<CommandResult> {
  const startedAt = performance.now();
  const output: Output = { out: '', err: '' };
  const exitCode = await Promise.race([run(turn, command.args, output), ended(turn)]).catch((error: Error) => {
    output.err += `${error.message}\n`;
    return turn.signal.aborted ? TIMEOUT_EXIT_CODE : 1;
  });
  const [stdout, stderr] = [cut(output.out, command.maxOutputBytes), cut(output.err, command.maxOutputBytes)];
  const truncated = stdout !== output.out || stderr !== output.err;
  return { exitCode, stdout, stderr, truncated, durationMs: Math.round(performance.now() - startedAt) };
}

async function ended({ signal }: Turn): Promise<number> {
  while (!signal.aborted) await sleep(60_000, undefined, { signal, ref: false }).catch(() => {});
  return TIMEOUT_EXIT_CODE;
}

async function run(turn: Turn, [program, ...args]: Command['args'], output: Output): Promise<number> {
  if (program === 'php') return runFile(turn, args[0] ?? '', output);
  if (program === 'wp') return runWp(turn, args, output);
  output.err = `${program}: command not found\n`;
  return UNKNOWN_EXIT_CODE;
}

async function runFile(turn: Turn, path: string, output: Output): Promise<number> {
  const file = path.replace(CONTENT, '');
  await runProgram(turn, file, await readProgram(turn, file), (text) => {
    output.out += text;
  });
  return 0;
}

async function runWp(turn: Turn, args: readonly string[], output: Output): Promise<number> {
  const [noun, verb, name = '', value = ''] = args.filter((arg) => !arg.startsWith('--'));
  if (noun === 'siteyard-software') {
    output.out = `${verb}${await tellSoftware(turn, name)}\n`;
    return 0;
  }
  switch (`${noun} ${verb}`) {
    case 'option get': {
      const found = await turn.option(name);
      if (found === undefined) return fail(output, `Could not get '${name}' option. Does it exist?`);
      output.out = `${found}\n`;
      return 0;
    }
    case 'option update':
      await turn.setOption(name, value);
      output.out = `Success: Updated '${name}' option.\n`;
      return 0;
    case 'user list':
      output.out = `${JSON.stringify(await listUsers(turn))}\n`;
      return 0;
    case 'core update-db':
      output.out = 'Success: WordPress database already at latest db version.\n';
      return 0;
    default:
      return fail(output, `'${noun} ${verb}' is not a registered wp command.`);
  }
}

function fail(output: Output, message: string): number {
  output.err = `Error: ${message}\n`;
  return 1;
}

async function listUsers(turn: Turn) {
  const rows = await turn.query('select user_login, user_email from wp_users order by ID');
  return rows.map(({ user_login, user_email }) => ({ user_login, user_email, roles: 'administrator' }));
}

function cut(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= limitBytes ? text : bytes.subarray(0, limitBytes).toString();
}
