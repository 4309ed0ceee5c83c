import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SPAWNED_BY } from '#core/starter/messages.ts';
import { runProgram } from '#core/starter/starter.ts';
import { LAUNCH, Room, type RoomOptions, type Shown } from './room.ts';
import { sandboxFilter } from './sandbox-filter.ts';
import { areForAll, mayMount, mayUseAnyUid, missingTools, SYSTEM_PATH } from './system.ts';

/**
 * A world of its own for what sites bring along: mounts, processes, signals, names and, where it is wished, no network. Made with
 * util-linux alone, as root or as a plain user. Where the machine forbids namespaces there is none, and nothing that needs one runs.
 *
 * `uids`: we are root, and every site has a number of its own. `root`: we are root of a container that has few numbers. `user`: a plain user.
 */
export type SandboxMode = 'uids' | 'root' | 'user';
/** The best that this machine has, a certain one, or none, as on a machine that forbids namespaces. */
export type SandboxWish = SandboxMode | 'auto' | 'none';

export interface Limits {
  /** How many processes and threads at a time. */
  processes?: number;
  fileBytes?: number;
  /** Of one process; 4096 where it is not said, and what the machine gives where that is fewer. */
  openFiles?: number;
}

export interface Entry extends Limits {
  room: Room;
  /** A file of the platform's own for the list of mounts. Its path tells the sandbox's processes from others. */
  list: string;
  /** What this one sees and others in the same room do not. */
  shown?: readonly Shown[];
  args: readonly string[];
  cwd: string;
  env?: Record<string, string>;
  /** Whom it runs as, where sites have numbers. It can become a site's later where it is not said. */
  uid?: number;
  /** Folders of control groups to be in, each made before. */
  groups?: readonly string[];
  /** It takes what the rest of the machine leaves of the processors, also where there are no groups. */
  isModest?: boolean;
}

/** What is to be spawned, in a session of its own (`detached`), so that the operator's terminal is not its. */
export interface Spawn {
  file: string;
  args: string[];
  env: Record<string, string>;
}

const STEP_LIMIT_MS = 20_000;
const OPEN_FILES = 4096;
const NICE = 10;
/**
 * Whatever is dialled arrives in the sandbox itself, at the address and port that were meant. Who may listen there need not be root; where
 * the settings of the kernel are read-only, as in a container, the right to listen is kept instead, which is good in this network alone.
 */
const OWN_NETWORK = `ip link set lo up
      ip route add local 0.0.0.0/0 dev lo
      ip -6 route add local ::/0 dev lo 2>/dev/null || true
      { echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; } 2>/dev/null || listen=,+net_bind_service
      `;
const INNER_UID = 1000;
const UID_BASE = 2 ** 30;
const UIDS = 2 ** 30;

/** The same on every start, and nobody's on the machine. */
export function uidOfSite(siteId: string): number {
  return UID_BASE + (createHash('sha256').update(siteId).digest().readUInt32BE() % UIDS);
}

/** A file that is there where a sandbox could not join one of its groups. */
export const outsideGroups = (list: string) => `${list}.apart`;

export class Sandbox {
  readonly mode: SandboxMode;
  /** Who one is inside where sites have no numbers. */
  readonly #innerUid: number;
  readonly #filter: Buffer | undefined;

  private constructor(mode: SandboxMode, innerUid: number, filter: Buffer | undefined) {
    this.mode = mode;
    this.#innerUid = innerUid;
    this.#filter = filter;
  }

  /** Whether processes in the sandbox have the seccomp filter. */
  get hasFilter(): boolean {
    return this.#filter !== undefined;
  }

  /** The best that this machine has, or why it has none. */
  static async find(
    wanted: SandboxWish = 'auto',
    /** What is shown to sites of all users, which they have to be able to read. */
    shared: readonly string[] = [],
  ): Promise<Sandbox | { missing: string }> {
    if (wanted === 'none') return { missing: 'it is switched off' };
    if (process.platform !== 'linux') return { missing: 'it needs Linux' };
    const tools = missingTools();
    if (tools.length > 0) return { missing: `there is no ${tools.join(', ')}` };
    const possible: SandboxMode[] = mayMount()
      ? mayUseAnyUid() && areForAll(shared)
        ? ['uids', 'root', 'user']
        : ['root', 'user']
      : ['user'];
    let missing = `the mode ${wanted} is not possible here`;
    const filter = sandboxFilter();
    // Namespaces without a filter are better than neither. A probe may fail because the machine is busy, so the filter gets a second one.
    for (const mode of possible.filter((each) => wanted === 'auto' || each === wanted))
      for (const each of filter ? [filter, filter, undefined] : [undefined]) {
        const { whoami, failure } = await new Sandbox(mode, 0, each).#probe();
        // A plain user is another one inside, and its own root where a container lets it have no other (see #inside).
        if (failure === undefined) return new Sandbox(mode, mode === 'user' ? whoami : 0, each);
        missing = failure;
      }
    return { missing };
  }

  room(options: Omit<RoomOptions, 'innerUid' | 'uid' | 'filter'> & { uid?: number }): Room {
    const uid = this.mode === 'uids' ? (options.uid ?? 0) : 0;
    return new Room({ ...options, uid, innerUid: this.mode === 'user' ? this.#innerUid : uid, filter: this.#filter });
  }

  /** Whom a site's files and processes belong to. Two of many thousand sites may share a number; what keeps them apart are the mounts. */
  uidOf(siteId: string): number {
    return this.mode === 'uids' ? uidOfSite(siteId) : (process.getuid?.() ?? 0);
  }

  enter({ room, list, shown = [], args, cwd, env = {}, ...how }: Entry): Spawn {
    const { uid, groups = [], isModest = false, ...limits } = how;
    writeFileSync(list, room.mounts(shown), { mode: 0o600 });
    const own = { PATH: SYSTEM_PATH, HOME: '/home/site', USER: 'site', LANG: 'C.UTF-8' };
    const scripts = [this.#inside(uid, limits, room.isOwnNetwork), room.root, list, cwd];
    return {
      file: '/bin/sh',
      args: ['-c', this.#outside(room.hasNetwork, groups, isModest, list), ...scripts, ...args],
      env: { ...own, ...env, [SPAWNED_BY]: String(process.pid) },
    };
  }

  /** Shows more to a sandbox that runs, by the pid that was spawned. */
  async show(pid: number, room: Room, list: { file: string; at: string }, shown: readonly Shown[]): Promise<void> {
    writeFileSync(list.file, room.laterMounts(shown), { mode: 0o600 });
    const space = (name: string) => `/proc/${pid}/ns/${name}`;
    const user = this.mode === 'user' ? [`--user=${space('user')}`, '--preserve-credentials'] : [];
    // mount(8) looks itself up in /proc, so it has to be among those that are seen there.
    const spaces = [...user, `--mount=${space('mnt')}`, `--pid=${space('pid_for_children')}`];
    const args = [...spaces, 'mount', '--all', '--fstab', `/box${list.at}`];
    await runProgram('nsenter', args, { cwd: '/', env: { PATH: SYSTEM_PATH }, timeoutMs: STEP_LIMIT_MS });
  }

  /** From the platform's own world into the namespaces. It dies with the platform, and pid 1 inside dies with it. */
  #outside(hasNetwork: boolean, groups: readonly string[], isModest: boolean, list: string): string {
    const apart = `: > "${outsideGroups(list)}"`;
    const join = groups.map((group) => `{ echo $$ > "${group}/cgroup.procs"; } 2>/dev/null || ${apart}; `).join('');
    const spaces = `${this.mode === 'user' ? '--user --map-root-user ' : ''}--mount --pid --ipc --uts --cgroup${hasNetwork ? '' : ' --net'}`;
    // Where sessions share the machine evenly, the number counts within one alone unless the session has it too.
    const nice = isModest ? `{ echo ${NICE} > /proc/self/autogroup; } 2>/dev/null; exec nice -n ${NICE}` : 'exec';
    return `${join}${nice} setpriv --pdeathsig KILL unshare ${spaces} --fork --kill-child=KILL /bin/sh -c "$0" sh $$ "$@"`;
  }

  /** In the namespaces, with every right in them: mounts what is to be seen, leaves the rest behind and gives up all rights. */
  #inside(uid: number | undefined, limits: Limits, isOwnNetwork: boolean): string {
    const becoming = this.mode === 'uids' && uid === undefined ? ',+setuid,+setgid' : '';
    const listen = isOwnNetwork ? '$listen' : '';
    const drop = `setpriv --bounding-set=-all${becoming}${listen} --inh-caps=-all${listen} --ambient-caps=-all${listen} --no-new-privs`;
    const reuid = this.mode === 'uids' && uid !== undefined ? ` --reuid ${uid} --regid ${uid}` : '';
    // A change of user clears the signal, so it is asked for once more.
    const groups = this.mode === 'user' ? '' : ' --clear-groups';
    const asNobody = `chroot /box ${drop} --pdeathsig KILL${reuid}${groups}`;
    const become =
      this.mode === 'user'
        ? `unshare --user --map-user=${INNER_UID} --map-group=${INNER_UID} --root=/box setpriv --no-new-privs`
        : asNobody;
    // pid 1 reaps; when its one command ends, the kernel ends whatever that left behind.
    const launch = this.hasFilter ? `${LAUNCH} ` : '';
    const init = `${launch}/bin/sh -c '${ulimits(limits)}cd "$1"; shift; unset OLDPWD; "$@"; exit $?' sh "$@"`;
    // Of /proc only the processes of this namespace. A container that covers parts of its own /proc gives none to namespaces of
    // users: there it is left out, and whoever is inside is root of a namespace in which root can do nothing.
    // Whoever started it may have died before its death would be heard of here; then it is not a child of ours, or a dead one.
    return `set -e; read -r _ _ state parent _ < /proc/$1/stat; [ "$state" != Z ]; [ "$parent" = "$${SPAWNED_BY}" ]; unset ${SPAWNED_BY}; shift
      ${isOwnNetwork ? OWN_NETWORK : ''}root=$1; mount --all --fstab "$2"; shift 2; hostname site
      mount -t proc -o nosuid,nodev,noexec,subset=pid,hidepid=2 proc "$root/proc" 2>/dev/null || { bare=1; mount --rbind /proc "$root/proc"; }
      cd "$root"; pivot_root . old; cd /; umount -l /old
      [ -z "$bare" ] || { umount -l /proc; exec ${asNobody} ${init}; }
      exec ${become} ${init}`;
  }

  /** Whether folders can have locks of their own (Shown.hasOwnLocks). */
  async hasOverlays(): Promise<boolean> {
    const { failure } = await this.#probe({ shown: [{ from: '/usr/share', at: '/shown', hasOwnLocks: true }] });
    return failure === undefined;
  }

  /** Why a room can have no network of its own (RoomOptions.isOwnNetwork); undefined where it can. */
  async missingNetwork(): Promise<string | undefined> {
    return (await this.#probe({ isOwnNetwork: true })).failure;
  }

  /** Whether there is such a room, and who one is in there. */
  async #probe(
    room: Partial<Pick<RoomOptions, 'shown' | 'isOwnNetwork'>> = {},
  ): Promise<{ whoami: number; failure?: string }> {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(tmpdir(), 'siteyard-probe-'));
      const made = this.room({
        shown: [],
        ...room,
        folder: join(folder, 'room'),
        later: [folder],
        tmpBytes: 4096,
        hasNetwork: false,
      });
      const { file, args, env } = this.enter({
        room: made,
        list: join(folder, 'mounts'),
        args: ['/usr/bin/id', '-u'],
        cwd: '/',
      });
      const { stdout } = await promisify(execFile)(file, args, { env, cwd: '/', timeout: STEP_LIMIT_MS });
      return { whoami: Number(stdout) };
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string };
      return { whoami: Number.NaN, failure: (stderr || message).trim().split('\n')[0] ?? 'it failed' };
    } finally {
      if (folder) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Set inside, since a namespace of users counts processes for itself. Uid 0 of the machine is not counted: that takes a control group. */
function ulimits({ processes, fileBytes, openFiles = OPEN_FILES }: Limits): string {
  const set = (flag: string, value: number | undefined) => (value === undefined ? '' : `ulimit -${flag} ${value}; `);
  const files = fileBytes === undefined ? undefined : Math.ceil(fileBytes / 512);
  // What writes too much is told so, instead of being ended.
  return `ulimit -c 0; ulimit -n ${openFiles} 2>/dev/null; trap "" XFSZ; ${set('p', processes)}${set('f', files)}`;
}
