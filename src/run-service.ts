import { enableCompileCache } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Config } from './config.ts';
import type { Drivers } from './platform/drivers.ts';
import type { SitePod } from './platform/pod/site-pod.ts';
import type { PortGroup } from './platform/port-group/port-group.ts';
import type { Platform } from './platform.ts';

// Stripping the types of several hundred modules and compiling them is about a fifth of a start's CPU time, so what came of
// it is kept. Where the folder can not be written, every start does the work again.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/siteyard'));
const [
  { ConfigError, readConfig, SHARES_PORTS },
  { DataDirInUseError },
  { DiskFullError },
  { MachineLacksError },
  { rejectStaleBuild },
  { StartupError },
  { startWatchdog },
] = await Promise.all([
  import('./config.ts'),
  import('#core/db/embedded/data-dir-lock.ts'),
  import('./platform/disk-reserve.ts'),
  import('#runtimes/fpm/php-install.ts'),
  import('#core/build-stamp.ts'),
  import('#core/startup-error.ts'),
  import('./platform/watchdog/watchdog.ts'),
]).catch(failToLoad);

/** What an operator does to the machine or the platform as a whole, where it runs. */
const COMMANDS = ['doctor', 'backup-platform', 'restore-platform'];

/**
 * Runs the service until it is stopped. `drivers`: those that the program has besides the product's, by the name that RUNTIME picks one with.
 * Further processes that share the ports run the same program (`process.argv[1]`), so they have the same drivers.
 */
export function runService(drivers: Drivers = {}): void {
  startService(drivers).catch((error: unknown) => {
    console.error(explain(error));
    process.exit(isFull(error) ? DISK_FULL_EXIT : 1);
  });
}

/** The one place that reads the environment and listens to signals. Lines on stdout are for people; logs go to stderr. */
async function startService(drivers: Drivers): Promise<void> {
  const [command = ''] = process.argv.slice(2);
  if (COMMANDS.includes(command)) {
    const { runCommand } = await import('./platform/commands.ts');
    // A name lookup that doctor has given up on would keep the process running.
    process.exit(await runCommand(command, process.argv.slice(3), process.env));
  }
  rejectStaleBuild();
  const args = process.argv.slice(2);
  const further = args.includes(SHARES_PORTS) ? await joinGroup() : undefined;
  const config = readConfig({ ...process.env, ...further?.env }, { args, extraDrivers: Object.keys(drivers) });
  const starting = start(config, drivers, further);

  // Heard from the first moment on: a start that is interrupted ends its Postgres like any other.
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    const platform = await starting;
    platform.log.info({ signal }, 'stopping');
    await platform.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const platform = await starting;
  startWatchdog(config.logLevel);
  // The heap is small and what passes through is buffers, which V8 counts towards it: all of it was looked at after every 25 pages, and that was
  // half of what they cost here (docs/decisions/0069). What a start leaves is collected by the usual measure.
  setFlagsFromString('--heap-growing-percent=150');
  // Whoever looks for this line has been told by the first process.
  if (further) return;
  if ('madeOperator' in platform && platform.madeOperator) {
    const { email, password } = platform.madeOperator;
    console.log(`operator: ${email} with the password ${password} (shown this once)`);
  }
  console.log(`ready: ${platform.url}`);
}

async function joinGroup() {
  const { FurtherProcess } = await import('./platform/port-group/further-process.ts');
  return FurtherProcess.join();
}

/** The pod of a site has no database, so it loads little of what needs one, and is there sooner. */
async function start(config: Config, drivers: Drivers, further: PortGroup | undefined): Promise<Platform | SitePod> {
  const { platformDoor: door } = config;
  if (!door) {
    const [{ startPlatform }, { FirstProcess }] = await Promise.all([
      import('./platform.ts'),
      import('./platform/port-group/first-process.ts'),
    ]).catch(failToLoad);
    return startPlatform(config, { drivers, group: further ?? new FirstProcess(process.argv[1]) });
  }
  const { startSitePod } = await import('./platform/pod/site-pod.ts').catch(failToLoad);
  return startSitePod(config, door, drivers);
}

/** So that whoever starts it again and again can tell: the number that the system itself has for it. */
const DISK_FULL_EXIT = constants.errno.ENOSPC;
const isFull = (error: unknown) => error instanceof DiskFullError || (error as { code?: string }).code === 'ENOSPC';

/** A package that does not load is nearly always a native one without a build for this machine. */
function failToLoad(error: unknown): never {
  const { stack = '' } = error as Error;
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(stack)?.[1];
  const { glibcVersionRuntime: glibc } = (process.report.getReport() as { header: Record<string, string> }).header;
  const machine = `${process.platform}-${process.arch}, ${glibc ? `glibc ${glibc}` : 'no glibc'}, Node ${process.versions.node}`;
  console.error(
    name
      ? `The package ${name} does not load on this machine (${machine}): ${rootCause(error).message.split('\n')[0]}`
      : error,
  );
  process.exit(1);
}

/** What a loader says at first is advice that fits no lock file; what it met comes last. */
function rootCause(error: unknown): Error {
  const { cause } = error as Error;
  return cause instanceof Error ? rootCause(cause) : (error as Error);
}

/** A sentence where the operator can mend it, the whole error where only we can. */
function explain(error: unknown): unknown {
  const plain = [ConfigError, DataDirInUseError, DiskFullError, MachineLacksError, StartupError];
  if (plain.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, port, path } = error as { code?: string; port?: number; path?: string };
  if (code === 'ENOSPC')
    return `The disk is full${path === undefined ? '' : ` at ${path}`}. Make room and start again.`;
  if (code === 'EADDRINUSE') return `Port ${port} is taken; set PORT to another one.`;
  if (code === 'EACCES' && port !== undefined) return `Port ${port} is not for this user; set PORT to one above 1023.`;
  return error;
}
