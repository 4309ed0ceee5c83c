import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The tools that we compare with, each with a repository of its own. */
export interface Peer {
  name: string;
  /** Takes a snapshot of the folder. */
  backup(): Cost;
  /** Writes the newest snapshot into a new folder. */
  restoreAll(target: string): Cost;
  /** Brings files of the folder back to the snapshot before the newest; undefined where the tool has no way to. */
  restoreFiles?(paths: readonly string[]): Cost;
  size(): { bytes: number; files: number };
}

export interface Cost {
  cpuSeconds: number;
  wallSeconds: number;
}

export function makePeers(dir: string, folder: string): Peer[] {
  install();
  return [makeRestic(dir, folder), makeBorg(dir, folder), makeGit(dir, folder)];
}

export function versionsOfPeers(): string {
  const first = (program: string, arg: string) =>
    execFileSync(program, [arg], { encoding: 'utf8' }).split('\n')[0] ?? '';
  const version = (text: string) => /\d+(\.\d+)+/.exec(text)?.[0];
  return `restic ${version(first('restic', 'version'))}, borg ${version(first('borg', '--version'))}, git ${version(first('git', '--version'))}`;
}

function install(): void {
  const missing = ['restic', 'borg', 'git', 'sqlite3'].filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length === 0) return;
  const packages = missing.map((name) => (name === 'borg' ? 'borgbackup' : name));
  execFileSync('apt-get', ['install', '-y', ...packages], { stdio: 'ignore' });
}

function makeRestic(dir: string, folder: string): Peer {
  const repository = join(dir, 'restic');
  const env = { RESTIC_REPOSITORY: repository, RESTIC_PASSWORD: 'bench', RESTIC_CACHE_DIR: join(dir, 'restic-cache') };
  run('restic init -q', env);
  return {
    name: 'restic',
    backup: () => run(`cd ${folder} && restic backup -q .`, env),
    restoreAll: (target) => run(`restic restore -q latest --target ${target}`, env),
    restoreFiles: (paths) => {
      // Named, for this version would write all files again; that is the least it can be asked to do.
      const ids = JSON.parse(
        execFileSync('restic', ['snapshots', '--json'], { env: { ...process.env, ...env }, encoding: 'utf8' }),
      );
      const includes = paths.map((path) => `--include /${path}`).join(' ');
      return run(`restic restore -q ${ids.at(-2).short_id} --target ${folder} ${includes}`, env);
    },
    size: () => sizeOf(repository),
  };
}

function makeBorg(dir: string, folder: string): Peer {
  const repository = join(dir, 'borg');
  const env = {
    BORG_REPO: repository,
    BORG_BASE_DIR: join(dir, 'borg-base'),
    BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes',
    BORG_RELOCATED_REPO_ACCESS_IS_OK: 'yes',
  };
  run('borg init --encryption none', env);
  let count = 0;
  return {
    name: 'borg',
    backup: () => run(`cd ${folder} && borg create --compression zstd,1 ::a${++count} .`, env),
    restoreAll: (target) => {
      mkdirSync(target);
      return run(`cd ${target} && borg extract ::a${count}`, env);
    },
    size: () => sizeOf(repository),
  };
}

function makeGit(dir: string, folder: string): Peer {
  const env = {
    GIT_DIR: join(dir, 'git'),
    GIT_WORK_TREE: folder,
    GIT_AUTHOR_NAME: 'b',
    GIT_AUTHOR_EMAIL: 'b@b',
    GIT_COMMITTER_NAME: 'b',
    GIT_COMMITTER_EMAIL: 'b@b',
  };
  run('git init -q && git config gc.auto 0 && git config core.compression 1', env);
  return {
    name: 'git',
    backup: () => run('git add -A && git commit -q -m minute --allow-empty', env),
    restoreAll: (target) => run(`git checkout-index -a -f --prefix=${target}/`, env),
    restoreFiles: () => run('git reset -q --hard HEAD~1', env),
    size: () => sizeOf(env.GIT_DIR),
  };
}

/** Runs a command and says what it cost, with everything that it started. */
export function run(command: string, env: Record<string, string> = {}): Cost {
  const started = performance.now();
  const result = spawnSync('bash', ['-c', `TIMEFORMAT='cpu %U %S'; time { ${command}; }`], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const wallSeconds = (performance.now() - started) / 1000;
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(result.stderr) ?? [];
  if (result.status !== 0 || user === undefined) throw new Error(`${command}: ${result.stderr}`);
  return { cpuSeconds: Number(user) + Number(system), wallSeconds };
}

export function sizeOf(folder: string): { bytes: number; files: number } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  return { bytes, files: files.length };
}
