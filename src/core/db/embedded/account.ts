import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';

/**
 * Postgres refuses to run as root, so root lends it another account. Everything Postgres owns is given to that account
 * and every program of Postgres is started through it. Other servers that come with us do it the same way.
 */
export interface Account {
  /** Gives a path to the account; nothing to do when we are it. */
  own(path: string): void;
  spawn(program: string, args: string[], options: Pick<SpawnOptions, 'stdio' | 'detached'>): ChildProcess;
}

interface Ids {
  uid: number;
  gid: number;
}

// A PGOPTIONS or PGDATA of the operator's shell must not reach our own Postgres.
const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export interface Lodger {
  name: string;
  /** The account that a machine has for it, if it has one. */
  user: string;
  /** The variable that names another server instead. */
  variable: string;
}

const POSTGRES: Lodger = { name: 'Postgres', user: 'postgres', variable: 'DATABASE_URL' };

/** The account that owns the cluster, or the one a new cluster gets. Undefined: we may run the server as ourselves. */
function chooseIds(cluster: string, { name, user, variable }: Lodger): Ids | undefined {
  if (!isRoot()) return undefined;
  // An existing cluster keeps its owner: Postgres insists on it, and the user may have been added since.
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const ids = readIds(user) ?? readIds('nobody');
  if (ids) return ids;
  throw new Error(
    `The embedded ${name} can not run as root, and this machine has neither a user ${user} nor nobody. ` +
      `Start Siteyard as another user, or set ${variable}.`,
  );
}

function readIds(user: string): Ids | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/**
 * Below a directory that only root may enter, such as /root, the account reaches neither the program nor its data.
 * Opening that directory to everybody is not ours to do, a copy of the programs in /tmp is eaten by its cleaner while
 * they run, and the data can not move at all. So the process keeps the one capability it needs to pass: to search
 * directories where that is allowed (containers usually drop it), else to override permissions. The role that we
 * connect with is no superuser, so no SQL statement can put the capability to use.
 */
const PASSES = [[], ['dac_read_search'], ['dac_override']];

/**
 * Tries the passes from the least one and asks the kernel, which alone knows about modes, ACLs and mounts together.
 * The directory is made for the account, beside the cluster.
 */
export function openAccount(cluster: string, program: string, ownedDir: string, lodger = POSTGRES): Account {
  const ids = chooseIds(cluster, lodger);
  mkdirSync(ownedDir, { recursive: true, mode: 0o700 });
  if (!ids) return makeAccount(undefined, []);
  const faults: string[] = [];
  try {
    chownSync(ownedDir, ids.uid, ids.gid);
  } catch (error) {
    faults.push((error as Error).message);
  }
  for (const pass of PASSES) {
    const [shell, args] = wrap(ids, pass, '/bin/sh', ['-c', '"$0" -V && cd "$1" && test -w .', program, ownedDir]);
    const probe = spawnSync(shell, args, { ...spawnIds(ids, pass), env, cwd: '/', encoding: 'utf8' });
    if (probe.status === 0) return makeAccount(ids, pass);
    faults.push(probe.error?.message ?? probe.stderr.trim());
  }
  throw new Error(
    `The embedded ${lodger.name} can not run as root, and uid ${ids.uid} can not use ${program} on ${ownedDir}: ` +
      `${[...new Set(faults)].join('; ')}. Move Siteyard and its DATA_DIR out of directories that only root may enter, ` +
      `start it as another user, or set ${lodger.variable}.`,
  );
}

function makeAccount(ids: Ids | undefined, pass: string[]): Account {
  return {
    own: (path) => ids && chownSync(path, ids.uid, ids.gid),
    spawn(program, args, options) {
      const [file, wrapped] = ids ? wrap(ids, pass, program, args) : [program, args];
      return spawn(file, wrapped, { ...options, ...spawnIds(ids, pass), env, cwd: '/' });
    },
  };
}

/** Without a pass Node itself changes the account; with one, setpriv has to, since the capability must survive it. */
function spawnIds(ids: Ids | undefined, pass: string[]): Ids | undefined {
  return pass.length > 0 ? undefined : ids;
}

function wrap(ids: Ids, pass: string[], program: string, args: string[]): [string, string[]] {
  if (pass.length === 0) return [program, args];
  const only = ['-all', ...pass.map((capability) => `+${capability}`)].join(',');
  return [
    'setpriv',
    [
      `--reuid=${ids.uid}`,
      `--regid=${ids.gid}`,
      '--clear-groups',
      '--no-new-privs',
      // Otherwise access(2), with which Postgres looks at its own programs, would answer as if there were no pass.
      '--securebits=+no_setuid_fixup',
      `--bounding-set=${only}`,
      `--inh-caps=${only}`,
      `--ambient-caps=${only}`,
      '--',
      program,
      ...args,
    ],
  ];
}
