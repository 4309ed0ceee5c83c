import { copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LAUNCHER, PERL } from './sandbox-filter.ts';

/** Something of the machine that is seen inside, at the place that it has there. */
export interface Shown {
  from: string;
  at: string;
  isWritable?: boolean;
  /** What is locked inside is locked for nobody else, where the machine has overlays (Sandbox.hasOverlays). For a folder that is only read. */
  hasOwnLocks?: boolean;
}

export interface RoomOptions {
  /** A folder of the platform's own, which must not exist yet: the skeleton of the root lies there. */
  folder: string;
  /** What is seen beside the system's own programs and libraries. */
  shown: readonly Shown[];
  /** Folders of which parts can be shown to what runs already (Sandbox.show). Nothing inside sees them before. */
  later?: readonly string[];
  /** Whom the content belongs to, as whoever mounts it says it; and what that is called inside. */
  uid: number;
  innerUid: number;
  /** What may be written beside what is shown, in memory. */
  tmpBytes: number;
  hasNetwork: boolean;
  /** A network of its own in which every address is the sandbox itself, so that a program in there can answer for all of them. */
  isOwnNetwork?: boolean;
  /** Whether its processes are seen in /proc. What a process may write there of itself is its own memory. */
  hasProc?: boolean;
  /** The filter of system calls that everything in there starts under; none where the machine has none. */
  filter?: Buffer | undefined;
}

/** The platform's Node, in every room. */
export const NODE = '/opt/node/node';
/** What loads the filter and what it loads, in every room that has one. */
const FILTERING = { launcher: '/opt/sandbox/launch.pl', filter: '/opt/sandbox/filter' };
/** Starts the program that follows under the filter. */
export const LAUNCH = `${PERL} ${FILTERING.launcher} ${FILTERING.filter} -`;
/** Below the root of the namespace, and one above the root that is seen: whoever is chrooted can make no namespace of users. */
const BOX = 'box';
const BOUND = 'nosuid,nodev,nr_inodes=50k';
const SYSTEM_FOLDERS = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const DEVICE_LINKS = { ptmx: 'pts/ptmx', fd: '/proc/self/fd', stdin: 'fd/0', stdout: 'fd/1', stderr: 'fd/2' };
const NAME_FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/gai.conf'];

/** How a sandbox looks from inside, made ready once: starting one then writes nothing but its list of mounts. */
export class Room {
  readonly root: string;
  readonly hasNetwork: boolean;
  readonly isOwnNetwork: boolean;
  readonly #lines: string[] = [];
  readonly #later: readonly string[];

  constructor(options: RoomOptions) {
    const { folder, shown, later = [], uid, innerUid, tmpBytes, hasNetwork, hasProc = true, filter } = options;
    this.root = folder;
    this.isOwnNetwork = options.isOwnNetwork ?? false;
    this.hasNetwork = hasNetwork;
    this.#later = later;
    rmSync(folder, { recursive: true, force: true });
    for (const name of ['old', 'box/etc', 'box/run', 'box/proc']) mkdirSync(join(folder, name), { recursive: true });
    this.#lines.push(line(folder, folder, 'none', 'bind,ro,nosuid,nodev'));
    // umount and unshare insist on one, if only above the root that is seen.
    if (hasProc) symlinkSync('box/proc', join(folder, 'proc'));
    else mkdirSync(join(folder, 'proc'));
    this.#showSystem(innerUid);
    this.#makeDevices();
    if (filter) this.#addFilter(filter);
    for (const [at, mode] of [
      ['/tmp', '1777'],
      ['/home/site', `700,uid=${uid},gid=${uid}`],
    ] as const)
      this.#mount('tmpfs', at, 'tmpfs', `${BOUND},size=${tmpBytes},mode=${mode}`);
    this.#show({ from: process.execPath, at: NODE });
    for (const each of shown) this.#show(each);
    for (const [number, from] of later.entries()) {
      mkdirSync(join(folder, 'later', String(number)), { recursive: true });
      this.#lines.push(line(from, join(folder, 'later', String(number)), 'none', 'bind,nosuid,nodev'));
    }
  }

  /** The list of mounts of one sandbox; what is shown in this one alone comes after what all see. */
  mounts(own: readonly Shown[]): string {
    // How names are found may change while the machine runs.
    if (this.hasNetwork) this.#copy(NAME_FILES);
    const extra = own.map((each) => this.#line(each));
    return `${[...this.#lines, ...extra].join('\n')}\n`;
  }

  /** A list for what runs already, as the namespace's own root calls things. */
  laterMounts(shown: readonly Shown[]): string {
    const lines = shown.map(({ from, at, isWritable }) => {
      const number = this.#later.findIndex((folder) => from.startsWith(`${folder}/`));
      const folder = this.#later[number];
      if (folder === undefined) throw new Error(`${from} can not be shown later`);
      return bindLine(
        { from: `/later/${number}${from.slice(folder.length)}`, at, isWritable: isWritable ?? false },
        join('/', BOX, at),
      );
    });
    return `${lines.join('\n')}\n`;
  }

  #showSystem(uid: number): void {
    this.#show({ from: '/usr', at: '/usr' });
    // What an operator put there is nobody else's business.
    if (existsSync('/usr/local'))
      this.#lines.push(line('tmpfs', join(this.root, BOX, 'usr/local'), 'tmpfs', 'ro,size=4k'));
    for (const name of SYSTEM_FOLDERS) {
      const link = lstatSync(`/${name}`, { throwIfNoEntry: false });
      if (link?.isSymbolicLink()) symlinkSync(`usr/${name}`, join(this.root, BOX, name));
      else if (link && name !== 'usr') this.#show({ from: `/${name}`, at: `/${name}` });
      if (link) symlinkSync(`box/${name}`, join(this.root, name));
    }
    for (const path of ['/etc/alternatives', '/etc/ssl/certs', '/etc/terminfo']) this.#show({ from: path, at: path });
    this.#copy(['/etc/ld.so.cache', '/etc/localtime']);
    const etc = join(this.root, BOX, 'etc');
    writeFileSync(join(etc, 'passwd'), `site:x:${uid}:${uid}::/home/site:/bin/bash\n`);
    writeFileSync(join(etc, 'group'), `site:x:${uid}:\n`);
    writeFileSync(join(etc, 'hosts'), '127.0.0.1 localhost site\n');
  }

  #addFilter(filter: Buffer): void {
    const [launcher, file] = [FILTERING.launcher, FILTERING.filter].map((path) => join(this.root, BOX, path));
    mkdirSync(dirname(launcher as string), { recursive: true });
    copyFileSync(LAUNCHER, launcher as string);
    writeFileSync(file as string, filter);
  }

  #copy(files: readonly string[]): void {
    for (const file of files) if (existsSync(file)) copyFileSync(file, join(this.root, BOX, file));
  }

  #makeDevices(): void {
    // Read-only is the name, not what is written to it: whoever is root's number inside could change its mode for the whole machine.
    for (const name of DEVICES) this.#mount(`/dev/${name}`, `/dev/${name}`, 'none', 'bind,ro,nosuid,noexec');
    // How many there may be is one number for the whole machine, which one sandbox could use up.
    this.#mount('devpts', '/dev/pts', 'devpts', 'newinstance,max=64,ptmxmode=0666,mode=620,nosuid,noexec');
    for (const [name, to] of Object.entries(DEVICE_LINKS)) symlinkSync(to, join(this.root, BOX, 'dev', name));
    this.#mount('tmpfs', '/dev/shm', 'tmpfs', `${BOUND},size=64m,mode=1777`);
  }

  #show(shown: Shown): void {
    if (existsSync(shown.from)) this.#lines.push(this.#line(shown));
  }

  /** Files of an overlay have numbers of their own, by which the kernel keeps locks. It takes two folders, of which one is empty here. */
  #line(shown: Shown): string {
    const target = this.#target(shown);
    if (!shown.hasOwnLocks || /[:,\\]/.test(shown.from + this.root)) return bindLine(shown, target);
    return line(
      'overlay',
      target,
      'overlay',
      `ro,nosuid,nodev,X-mount.mkdir,lowerdir=${shown.from}:${join(this.root, 'old')}`,
    );
  }

  #mount(source: string, at: string, type: string, options: string): void {
    this.#lines.push(line(source, this.#target({ from: source, at }), type, options));
  }

  /** Where something appears, which has to be there before. */
  #target({ from, at }: Shown): string {
    const target = join(this.root, BOX, at);
    if (existsSync(target)) return target;
    const isFile = from.startsWith('/') && !statSync(from).isDirectory();
    mkdirSync(isFile ? dirname(target) : target, { recursive: true });
    if (isFile) writeFileSync(target, '');
    return target;
  }
}

function bindLine({ from, isWritable }: Shown, target: string): string {
  return line(from, target, 'none', isWritable ? 'bind,nosuid,nodev' : 'rbind,ro,nosuid,nodev');
}

/** As fstab wants it: a space or a backslash in a path has its number. */
function line(source: string, target: string, type: string, options: string): string {
  const written = [source, target].map((path) =>
    path.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`),
  );
  return `${written.join(' ')} ${type} ${options} 0 0`;
}
