import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram } from '#core/starter/starter.ts';

const PERSON = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' };
const ENV = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  ...PERSON,
  GIT_COMMITTER_NAME: PERSON.GIT_AUTHOR_NAME,
  GIT_COMMITTER_EMAIL: PERSON.GIT_AUTHOR_EMAIL,
};

export async function git(cwd: string, ...args: string[]): Promise<string> {
  return (await runProgram('git', args, { cwd, env: ENV })).stdout.trim();
}

/** A bare repository at `path` with these files on `main`, and on further branches if there are any. Returns the newest commit of main. */
export async function makeRepository(
  path: string,
  files: Record<string, string | Buffer>,
  branches: Record<string, Record<string, string>> = {},
): Promise<string> {
  const work = `${path}.work`;
  await mkdir(work, { recursive: true });
  await git(work, 'init', '--quiet', '--initial-branch=main');
  await commit(work, files);
  const head = await git(work, 'rev-parse', 'HEAD');
  for (const [name, content] of Object.entries(branches)) {
    await git(work, 'checkout', '--quiet', '--orphan', name);
    await git(work, 'rm', '--quiet', '-r', '-f', '.');
    await commit(work, content);
  }
  await git(work, 'checkout', '--quiet', 'main');
  await git(work, 'clone', '--quiet', '--bare', work, path);
  return head;
}

async function commit(work: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(work, name)), { recursive: true });
    await writeFile(join(work, name), content);
  }
  await git(work, 'add', '--all', '--force');
  await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'files');
}
