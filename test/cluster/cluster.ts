import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The platform on a real Kubernetes: `npm run test:cluster` stands up two nodes in network namespaces of this machine, installs the chart
 * there and goes through everything that happens to a fleet. It prints the figures that docs/scale.md has.
 *
 *   npm run test:cluster              all of it, 20 to 30 minutes on two cores (the first time 20 more, for building Kubernetes)
 *   RUNTIME=fpm npm run test:cluster  with native PHP in the pods instead of PHP as WebAssembly
 *   SITES=5 npm run test:cluster      with fewer sites than 30 at the end
 *   ONLY=sleep,wake …                 installs, makes a site, and goes these steps alone
 *   OLDER=abbfc78f npm run test:cluster  from a fleet of that commit to this one, in place of all else
 *   KEEP=1 npm run test:cluster       leaves the cluster standing; deploy/test-cluster/cluster.sh down ends it
 *
 * Needs root on Debian 12, 8 GB of memory, 12 GB of disk, apt and npm that reach their registries. Nothing is installed, nothing listens outside of the namespaces.
 */
const HERE = import.meta.dirname;
const SCRIPTS = join(HERE, '../../deploy/test-cluster');
export const PROGRAMS = process.env.CLUSTER_DIR ?? join(homedir(), '.cache/siteyard/cluster');
export const RUN = process.env.CLUSTER_RUN ?? '/tmp/siteyard-cluster';
const LAN = `${process.env.CLUSTER_NAME ?? 'sy'}-lan`;

function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'It makes network namespaces, so it needs root on Linux.';
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID=debian$/m.test(release)) return "It builds Kubernetes from Debian's source package, so it needs Debian.";
  const tools = ['ip', 'nsenter', 'unshare', 'openssl', 'curl', 'git', 'tar'];
  const lacking = tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
  return lacking.length > 0 ? `This machine lacks ${lacking.join(', ')}.` : undefined;
}

function run(file: string, ...args: string[]): void {
  execFileSync(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Another commit, set up beside the programs. */
function checkOut(commit: string): string {
  const folder = join(PROGRAMS, `older-${commit}`);
  if (!existsSync(folder)) {
    run('git', 'clone', '--quiet', '--shared', '--no-checkout', join(HERE, '../..'), folder);
    run('git', '-C', folder, 'checkout', '--quiet', '--detach', commit);
  }
  run(process.execPath, join(folder, 'scripts/setup.mjs'), '--test');
  return folder;
}

/** Stands it up from outside of the namespaces, and goes on inside of them. */
function outside(): number {
  const missing = whatIsMissing();
  if (missing) {
    console.error(`The cluster can not be tried here. ${missing}`);
    return 1;
  }
  run(join(SCRIPTS, 'build.sh'));
  run(join(SCRIPTS, 'base-image.sh'));
  run(process.execPath, join(SCRIPTS, 'image.mjs'), '--pause');
  const older = process.env.OLDER && checkOut(process.env.OLDER);
  if (older) run(process.execPath, join(SCRIPTS, 'image.mjs'), 'older', '--of', older);
  run(process.execPath, join(SCRIPTS, 'image.mjs'), '1');
  run(process.execPath, join(SCRIPTS, 'image.mjs'), '2', '--thin', '--same-program', '--label', 'version=2');
  const inside = (file: string, ...args: string[]) => [
    `--net=/run/netns/${LAN}`,
    ...[process.execPath, '--disable-warning=ExperimentalWarning', join(HERE, file), ...args],
  ];
  const journey = older ? inside('older.ts', older) : inside('journey.ts');
  let surroundings: ChildProcess | undefined;
  try {
    run(join(SCRIPTS, 'cluster.sh'), 'up');
    surroundings = spawn('nsenter', inside('surroundings.ts'), { stdio: 'inherit', detached: true });
    return spawnSync('nsenter', journey, { stdio: 'inherit' }).status ?? 1;
  } finally {
    if (process.env.KEEP) surroundings?.unref();
    else {
      surroundings?.kill();
      run(join(SCRIPTS, 'cluster.sh'), 'down');
    }
  }
}

if (import.meta.main) process.exitCode = outside();
