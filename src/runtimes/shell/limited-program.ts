import { existsSync } from 'node:fs';
import type { ExecResult } from 'just-bash';
import { Bash, decodeBytesToUtf8, defineCommand, InMemoryFs, MountableFs, OverlayFs, ReadWriteFs } from 'just-bash';
import { PATHS } from './paths.ts';

/**
 * A shell without a sandbox: bash as an interpreter, in a process that Node's permission model keeps to the site's folder. It ends with its
 * parent, or when that kills it. `wp` and `php` are asked for there.
 */
export interface LimitedWish {
  content: string;
  core: string;
  script: string;
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  timeoutMs: number;
}

export type ToLimited = { type: 'run'; wish: LimitedWish } | { type: 'answer'; id: number; result: ExecResult };

export type FromLimited =
  | { type: 'ready' }
  | { type: 'call'; id: number; program: 'wp' | 'php'; args: string[]; cwd: string; stdin: string }
  | { type: 'result'; result: ExecResult | 'no-folder' };

const LARGEST_FILE = 256 * 1024 * 1024;
const MISSING = new Map([
  ['git', 'There is no git here: this machine gives sites no sandbox, and so no real shell.\n'],
]);

const waiting = new Map<number, (result: ExecResult) => void>();
let calls = 0;
const say = (message: FromLimited) => process.send?.(message);

const asked = (['wp', 'php'] as const).map((program) =>
  defineCommand(
    program,
    (args, context) =>
      new Promise((resolve) => {
        const id = calls++;
        waiting.set(id, resolve);
        say({ type: 'call', id, program, args, cwd: context.cwd, stdin: decodeBytesToUtf8(context.stdin) });
      }),
  ),
);
const missing = [...MISSING].map(([name, stderr]) =>
  defineCommand(name, async () => ({ stdout: '', stderr, exitCode: 127 })),
);

async function run({
  content,
  core,
  script,
  cwd,
  env,
  stdin,
  timeoutMs,
}: LimitedWish): Promise<ExecResult | 'no-folder'> {
  const base = new InMemoryFs();
  const fs = new MountableFs({ base });
  const show = (root: string, at: string) => {
    if (existsSync(root))
      fs.mount(at, new OverlayFs({ root, mountPoint: '/', readOnly: true, maxFileReadSize: LARGEST_FILE }));
  };
  // One mount can not stand in another, so of WordPress' own files only its folders are seen.
  await base.mkdir(PATHS.core, { recursive: true });
  for (const name of ['wp-admin', 'wp-includes']) show(`${core}/${name}`, `${PATHS.core}/${name}`);
  show(`${core}/wp-content/themes`, PATHS.themes);
  // Links are neither followed nor made: what PHP reads of the same folder would follow them.
  fs.mount(PATHS.content, new ReadWriteFs({ root: content, maxFileReadSize: LARGEST_FILE, maxCopySize: LARGEST_FILE }));
  const isFolder = await fs.stat(cwd).then(
    (found) => found.isDirectory,
    () => false,
  );
  if (!isFolder) return 'no-folder';
  const bash = new Bash({
    fs,
    cwd,
    env: { HOME: '/home/site', USER: 'site', ...env },
    customCommands: [...asked, ...missing],
    // What is shown is cut by the parent; this counts what goes to files too.
    executionLimits: {
      maxExecutionTimeMs: timeoutMs,
      maxOutputSize: 64 * 1024 * 1024,
      maxLoopIterations: 1e6,
      maxCommandCount: 1e6,
    },
  });
  return bash.exec(script, { stdin });
}

process.on('disconnect', () => process.exit(0));
process.on('message', async (message: ToLimited) => {
  if (message.type === 'answer') return void waiting.get(message.id)?.(message.result);
  // A redirection into a link rejects instead of failing like a command.
  const failed = ({ message: text }: Error) => ({ stdout: '', stderr: `bash: ${text}\n`, exitCode: 1 });
  const result = await run(message.wish).catch(failed);
  say({
    type: 'result',
    result:
      result === 'no-folder' ? result : { stdout: result.stdout, stderr: result.stderr, exitCode: result.exitCode },
  });
});
say({ type: 'ready' });
