import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Outbound } from '#core/outbound.ts';
import type { DatabaseAccess } from '#runtimes/mariadb/site-databases.ts';
import { makeCertificate } from '#runtimes/php/certificate.ts';
import type { SiteShare } from '#runtimes/runtime.ts';
import { SiteFailure, type SiteSpec } from '#runtimes/runtime.ts';
import { writeConfig } from '#runtimes/wordpress/config-file.ts';
import type { Tools } from '#runtimes/wordpress/distribution.ts';
import { LAYOUT, mariadbDatabase, ownAddress, sharedFolders, sqliteDatabase } from '#runtimes/wordpress/layout.ts';
import { callFilter } from '#sandbox/call-filter.ts';
import type { ControlGroup, ControlGroups, GroupLimits } from '#sandbox/control-groups.ts';
import { endAllNaming } from '#sandbox/ending.ts';
import type { Room, Shown } from '#sandbox/room.ts';
import type { Sandbox, Spawn } from '#sandbox/sandbox.ts';
import { LAUNCHER } from '#sandbox/sandbox-filter.ts';
import { NetworkDoor } from './network-door.ts';
import type { PhpInstall } from './php-install.ts';
import { PLACES, type PoolLimits, writeIni, writePool } from './php-settings.ts';

export interface PhpHomeOptions {
  sandbox: Sandbox;
  groups: ControlGroups;
  /** A folder of the platform's own. */
  folder: string;
  installs: readonly PhpInstall[];
  pool: PoolLimits;
  outbound: Outbound;
  coreFolder(coreVersion: string): string;
  tools(): Promise<Tools>;
  ownCall(siteId: string, connection: Duplex): void;
  hasOverlays: boolean;
  /** How PHP reaches the site's database, where that is on a server. */
  databaseOf(site: SiteSpec, siteFolder: string): DatabaseAccess | undefined;
  /** The folder with what was compiled of the site's WordPress, where there is any: its name is that of the build of PHP. */
  compiledOf(site: SiteSpec, php: PhpInstall): Promise<string | undefined>;
  /** What a site may have of the machine; undefined where nobody has said so. */
  shareOf(siteId: string): SiteShare | undefined;
  /** The disk that sites are on. */
  disk: string | undefined;
}

interface EnterOptions {
  /** It makes a socket: there is a folder for that. Nothing else may write there, where it is not a part of the site. */
  isServing?: boolean;
  /** What the program is started by, inside. */
  around?: (args: string[]) => string[];
  compileTo?: string | undefined;
}

/** PHP that is about to start for a site. */
export interface PhpEntry {
  spawn: Spawn;
  /** Where it makes its socket. */
  runFolder: string;
  /** To be called when it has begun, before it runs anything of the site: from then on nothing uncounted can be written there. */
  closeRunFolder(): void;
  /** To be called when it has ended: nothing is left of it then. */
  leave(): Promise<void>;
}

const TMP_BYTES = 256 * 1024 * 1024;
const UNCOUNTED_TMP_BYTES = 64 * 1024 * 1024;
const PROCESS_BYTES = 300 * 1024 * 1024;
const THREADS = 64;
const PROCESSORS = 64;
const OPEN_FILES = 16_384;
const FILE_BYTES = 2 * 1024 * 1024 * 1024;
/** Where sites have numbers, the limit of processes counts all that runs of the site, its shells too. */
const ALL_OF_A_SITE = 1024;
const INSIDE = join(import.meta.dirname, 'inside');
/** What others listen at. The site's own port comes besides. */
const PORTS = [
  ...[80, 443, 8080, 8443, 8000, 8888, 25, 465, 587, 2525, 110, 143, 993, 995, 21, 22],
  ...[3306, 5432, 6379, 11211, 9200, 389, 636, 1433, 27017],
];
const NAMES = 'nameserver 127.0.0.1\noptions timeout:5 attempts:1\n';
const NAME_ORDER = 'passwd: files\ngroup: files\nhosts: files dns\n';
const MARK_VARIABLE = 'SITEYARD_MARK';

/** Where native PHP runs: a sandbox for each site, in which it has things in the places that it has them in everywhere. */
export class PhpHome {
  readonly #options: PhpHomeOptions;
  readonly #room: Room;

  constructor(options: PhpHomeOptions) {
    this.#options = options;
    const { sandbox, groups, folder, installs, pool } = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const php of installs) {
      for (const kind of ['serving', 'commands'] as const) {
        writeFileSync(this.#file(php, kind), writeIni(php, { kind }));
        writeFileSync(this.#file(php, `${kind}-compiled`), writeIni(php, { kind, compiled: PLACES.compiled }));
      }
      writeFileSync(this.#file(php, 'compiling'), writeIni(php, { kind: 'serving', compiled: PLACES.compiling }));
    }
    const filter = callFilter();
    if (!filter) throw new Error(`there is no filter of system calls for ${process.arch}`);
    const files = { 'fpm.conf': writePool(pool), 'resolv.conf': NAMES, 'nsswitch.conf': NAME_ORDER, filter };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    this.#room = sandbox.room({
      folder: join(folder, 'room'),
      shown: [
        { from: INSIDE, at: PLACES.tools },
        { from: join(folder, 'fpm.conf'), at: PLACES.pool },
        { from: LAUNCHER, at: PLACES.launcher },
        { from: join(folder, 'filter'), at: PLACES.filter },
        { from: join(folder, 'resolv.conf'), at: '/etc/resolv.conf' },
        { from: join(folder, 'nsswitch.conf'), at: '/etc/nsswitch.conf' },
      ],
      tmpBytes: groups.hasMemory ? TMP_BYTES : UNCOUNTED_TMP_BYTES,
      hasNetwork: false,
      isOwnNetwork: true,
      hasProc: false,
    });
  }

  phpOf({ phpVersion }: SiteSpec): PhpInstall {
    const php = this.#options.installs.find(({ version }) => version === phpVersion);
    if (!php) throw new SiteFailure('start', `PHP ${phpVersion} is not installed on this machine.`);
    return php;
  }

  ownerOf(siteId: string): number | undefined {
    return this.#options.sandbox.mode === 'uids' ? this.#options.sandbox.uidOf(siteId) : undefined;
  }

  /** Tells the kernel what a site may have now, with all that runs of it. */
  limit(siteId: string): void {
    void this.#options.groups.limit(siteId, this.#limits(siteId));
  }

  /** PHP-FPM for visitors. `compileTo`: a folder that gets what it compiles. */
  serve(site: SiteSpec, siteFolder: string, compileTo?: string): Promise<PhpEntry> {
    const { fpm } = this.phpOf(site);
    const args = [
      fpm,
      '--nodaemonize',
      '--force-stderr',
      '--allow-to-run-as-root',
      '-c',
      PLACES.ini,
      '-y',
      PLACES.pool,
    ];
    return this.#enter(site, siteFolder, args, { isServing: true, compileTo });
  }

  /** One program. It starts where it is told, and in the folder of WordPress where that is not there. */
  command(
    site: SiteSpec,
    siteFolder: string,
    { args, cwd, env }: { args: readonly string[]; cwd: string; env: Record<string, string> },
  ): Promise<PhpEntry> {
    const start = 'cd -- "$1" 2>/dev/null || cd "$2"; shift 2; unset OLDPWD; exec "$@"';
    const variables = Object.entries({ HOME: '/tmp', TMPDIR: '/tmp', TZ: 'UTC', ...env });
    const around = (launched: string[]) => [
      // Inside and not before: what is said there must not change how it gets there.
      ...['/usr/bin/env', '-i', ...variables.map(([name, value]) => `${name}=${value}`)],
      ...['/bin/sh', '-c', start, 'sh', cwd, LAYOUT.core, ...launched],
    ];
    return this.#enter(site, siteFolder, [this.phpOf(site).cli, '-c', PLACES.commandIni, ...args], { around });
  }

  /** A draft is nobody's yet: its programs are ours, and run as whoever its files belong to. */
  async #enter(
    site: SiteSpec,
    siteFolder: string,
    program: readonly string[],
    { isServing = false, around = (args) => args, compileTo }: EnterOptions,
  ): Promise<PhpEntry> {
    const { sandbox, groups, folder } = this.#options;
    if (!existsSync(join(siteFolder, 'content'))) throw new SiteFailure('start', 'There is nothing left of this site.');
    const own = join(folder, randomBytes(6).toString('hex'));
    const runFolder = join(own, 'run');
    const list = join(own, 'mounts');
    let door: NetworkDoor | undefined;
    let group: ControlGroup | undefined;
    const leave = async () => {
      try {
        await endAllNaming(list);
      } finally {
        door?.close();
        await group?.remove();
        await rm(own, { recursive: true, force: true });
      }
    };
    try {
      mkdirSync(runFolder, { recursive: true, mode: 0o700 });
      const uid = statSync(join(siteFolder, 'content')).uid;
      if (sandbox.mode === 'uids') chownSync(runFolder, uid, uid);
      const database = addressOf(this.#options.databaseOf(site, siteFolder));
      if (!site.isOffline || database) door = await this.#openDoor(site, own, database);
      const limits = this.#limits(site.id);
      group = await groups.make(site.id, limits, limits);
      const others = site.isOffline ? [] : [...PORTS, ownAddress(site.url).port];
      const ports = [...new Set([...others, ...(database ? [database.port] : [])])].join(',') || '-';
      const launch = ['/usr/bin/perl', PLACES.launcher, PLACES.filter, ports, ...program];
      const shown = await this.#shown(site, siteFolder, own);
      const run = isServing ? [{ from: runFolder, at: PLACES.run, isWritable: true }] : [];
      const spawn = sandbox.enter({
        room: this.#room,
        list,
        shown: [...shown, ...run, ...(await this.#showCompiled(site, compileTo))],
        args: around(launch),
        cwd: '/',
        uid,
        groups: group.folders,
        openFiles: OPEN_FILES,
        fileBytes: FILE_BYTES,
        processes: sandbox.mode === 'uids' ? ALL_OF_A_SITE : limits.processes,
      });
      const closeRunFolder = () => {
        if (sandbox.mode !== 'uids') return;
        chownSync(runFolder, 0, 0);
        chmodSync(runFolder, 0o755);
      };
      return { spawn, runFolder, closeRunFolder, leave };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  async #openDoor(site: SiteSpec, own: string, database: ReturnType<typeof addressOf>): Promise<NetworkDoor> {
    const address = ownAddress(site.url);
    const folder = join(own, 'door');
    mkdirSync(folder, { mode: 0o755 });
    const certificate = address.isSecure ? makeCertificate(address.host) : undefined;
    if (certificate) writeFileSync(join(own, 'certificates'), `${this.#bundle(site)}\n${certificate.cert}`);
    return NetworkDoor.open({
      file: join(folder, 'net.sock'),
      outbound: this.#options.outbound,
      own: address,
      certificate,
      ownCall: (connection) => this.#options.ownCall(site.id, connection),
      database,
      isOffline: site.isOffline,
    });
  }

  /** WordPress, curl and PHP's own streams all look into this one file, which sites share on disk. */
  #bundle({ coreVersion }: SiteSpec): string {
    const inCore = PLACES.certificates.slice(LAYOUT.core.length);
    return readFileSync(join(this.#options.coreFolder(coreVersion), inCore), 'utf8');
  }

  async #shown(site: SiteSpec, siteFolder: string, own: string): Promise<Shown[]> {
    const database = this.#options.databaseOf(site, siteFolder);
    writeFileSync(join(own, 'wp-config.php'), writeWpConfig(site, database));
    const socket = database?.socket === undefined ? [] : [{ from: dirname(database.socket), at: PLACES.database }];
    const inSite = (name: string, at: string) => ({ from: join(siteFolder, name), at, isWritable: true });
    const shared = sharedFolders(this.#options.coreFolder(site.coreVersion), await this.#options.tools());
    const hasCertificate = existsSync(join(own, 'certificates'));
    return [
      ...shared.map(([at, from]) => ({ at, from, hasOwnLocks: this.#options.hasOverlays })),
      inSite('content', LAYOUT.content),
      inSite('database', LAYOUT.database),
      ...(site.isOffline ? [] : [inSite('outbox', LAYOUT.outbox)]),
      ...(existsSync(join(own, 'door')) ? [{ from: join(own, 'door'), at: PLACES.door }] : []),
      ...socket,
      ...(hasCertificate ? [{ from: join(own, 'certificates'), at: PLACES.certificates }] : []),
      { from: join(own, 'wp-config.php'), at: LAYOUT.config },
    ];
  }

  /** What was compiled of WordPress before, where there is any, and the settings that go with it. */
  async #showCompiled(site: SiteSpec, compileTo: string | undefined): Promise<Shown[]> {
    const php = this.phpOf(site);
    const { compiledOf, hasOverlays } = this.#options;
    const from = hasOverlays && compileTo === undefined ? await compiledOf(site, php) : undefined;
    const kind = from ? '-compiled' : '';
    return [
      ...(from ? [{ from, at: join(PLACES.compiled, basename(from)), hasOwnLocks: true }] : []),
      ...(compileTo === undefined ? [] : [{ from: compileTo, at: PLACES.compiling, isWritable: true }]),
      { from: this.#file(php, compileTo === undefined ? `serving${kind}` : 'compiling'), at: PLACES.ini },
      { from: this.#file(php, `commands${kind}`), at: PLACES.commandIni },
    ];
  }

  #limits(siteId: string): GroupLimits {
    const { pool, shareOf, disk } = this.#options;
    const share = shareOf(siteId);
    const processes = Math.min(pool.processes, share?.processes ?? pool.processes);
    return {
      memoryBytes: (processes + 2) * PROCESS_BYTES + TMP_BYTES,
      processes: pool.processes + THREADS,
      processors: share?.processors ?? PROCESSORS,
      io: disk !== undefined && share ? { device: disk, bytesPerSecond: share.ioBytesPerSecond } : undefined,
    };
  }

  #file({ version }: PhpInstall, name: string): string {
    return join(this.#options.folder, `php-${version}-${name}.ini`);
  }
}

/** The name of a mark that one request leaves when pages have changed, and how PHP is told of it. */
export function newMark(): { name: string; variables: Record<string, string> } {
  const name = `.purge-${randomBytes(8).toString('hex')}`;
  return { name, variables: { [MARK_VARIABLE]: `${LAYOUT.outbox}/${name}` } };
}

/** wp-cli looks for the last line, word for word. */
function writeWpConfig(site: SiteSpec, database: DatabaseAccess | undefined): string {
  const config = writeConfig(site, {
    platformFolder: LAYOUT.platform,
    themesFolder: LAYOUT.themes,
    // What an offline site leaves for the platform stays in its own memory.
    outboxFolder: site.isOffline ? '/tmp' : LAYOUT.outbox,
    purgeMark: { inServerVariable: MARK_VARIABLE },
    database: constantsOf(database),
  });
  return `${config}
defined('ABSPATH') || define('ABSPATH', '${LAYOUT.core}/');
require_once ABSPATH . 'wp-settings.php';
`;
}

/** Where a server is that has no socket on this machine. */
function addressOf(database: DatabaseAccess | undefined): { host: string; port: number } | undefined {
  if (!database || database.socket !== undefined) return undefined;
  const [, host = '', port] = /^(.*):(\d+)$/.exec(database.host) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** What wp-config.php says of the site's database. */
function constantsOf(database: DatabaseAccess | undefined): Record<string, string | number> {
  return database === undefined ? sqliteDatabase() : mariadbDatabase(database, PLACES.database);
}
