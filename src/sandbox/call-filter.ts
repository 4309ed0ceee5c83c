import {
  ALLOW,
  AND,
  argumentAt,
  type Call,
  CallFilter,
  ENOSYS,
  EPERM,
  EQUALS,
  type Line,
  LOAD,
  onBoth,
  SOCKET,
  since2019,
  unlessOneOf,
} from './filter-lines.ts';

/**
 * A filter of system calls for native PHP, besides the one that everything in a sandbox has (sandbox-filter.ts). What is refused fails with EPERM, as if whoever
 * asks had no right to it; everything else is let through. The walls are the namespaces: this is for what the kernel would do for a
 * process that has no rights at all, and for what no site may have in its files.
 */
const REFUSED: Record<string, Call> = {
  // Other processes and their memory.
  ptrace: onBoth(101, 117),
  process_vm_readv: onBoth(310, 270),
  process_vm_writev: onBoth(311, 271),
  kcmp: onBoth(312, 272),
  pidfd_getfd: since2019(438),
  perf_event_open: onBoth(298, 241),
  // Worlds of one's own, and what is mounted in them.
  unshare: onBoth(272, 97),
  setns: onBoth(308, 268),
  mount: onBoth(165, 40),
  umount2: onBoth(166, 39),
  pivot_root: onBoth(155, 41),
  chroot: onBoth(161, 51),
  open_tree: since2019(428),
  move_mount: since2019(429),
  fsopen: since2019(430),
  fsconfig: since2019(431),
  fsmount: since2019(432),
  fspick: since2019(433),
  mount_setattr: since2019(442),
  name_to_handle_at: onBoth(303, 264),
  open_by_handle_at: onBoth(304, 265),
  // Large parts of the kernel that no PHP needs.
  bpf: onBoth(321, 280),
  userfaultfd: onBoth(323, 282),
  io_uring_setup: since2019(425),
  io_uring_enter: since2019(426),
  io_uring_register: since2019(427),
  add_key: onBoth(248, 217),
  request_key: onBoth(249, 218),
  keyctl: onBoth(250, 219),
  fanotify_init: onBoth(300, 262),
  personality: onBoth(135, 92),
  syslog: onBoth(103, 116),
  init_module: onBoth(175, 105),
  finit_module: onBoth(313, 273),
  delete_module: onBoth(176, 106),
  kexec_load: onBoth(246, 104),
  kexec_file_load: onBoth(320, 294),
  // Another name for what a name already stands for.
  link: { x64: 86 },
  linkat: onBoth(265, 37),
  symlink: { x64: 88 },
  symlinkat: onBoth(266, 36),
  // A program, whatever it is called.
  execveat: onBoth(322, 281),
};

/** Tried by the C library first, which then takes the older call. */
const UNKNOWN: Record<string, Call> = {
  clone3: since2019(435),
  openat2: since2019(437),
  fchmodat2: since2019(452),
};

const EXECVE = onBoth(59, 221);
const CLONE = onBoth(56, 220);
/** Which argument is the mode: of chmod and its like, creat and mknod. Of mkdir the kernel itself takes no such bits. */
const MODES: [Call, number][] = [
  [{ x64: 90 }, 1],
  [onBoth(91, 52), 1],
  [onBoth(268, 53), 2],
  [{ x64: 85 }, 1],
  [{ x64: 133 }, 1],
  [onBoth(259, 33), 2],
];
/** open and openat: which argument the flags are; the mode is the next one, and means something only where a file is made. */
const OPENS: [Call, number][] = [
  [{ x64: 2 }, 1],
  [onBoth(257, 56), 2],
];
/** O_CREAT and O_TMPFILE. */
const MAKES = 0o20000100;
/** CLONE_NEWNS and its like. */
const NEW_SPACES = 0x7e020000;
const SET_ID = 0o6000;
const FAMILIES = [1, 2, 10];
const STREAM = 1;
const DATAGRAM = 2;
const KIND_MASK = 0xf;
/** Where the name of the one program is that may be started; whoever loads the filter puts it there (launch.pl). */
const PLACE = { low: 0xfeed0001, high: 0xfeed0002 };

/** Undefined on a machine that it was not written for. */
export function callFilter(machine: string = process.arch): Buffer | undefined {
  const filter = CallFilter.for(machine);
  if (!filter) return undefined;
  for (const call of Object.values(REFUSED)) filter.only(call, [EPERM]);
  for (const call of Object.values(UNKNOWN)) filter.only(call, [ENOSYS]);
  const refuseSetId = (index: number): Line[] => [
    [LOAD, 0, 0, argumentAt(index)],
    [AND, 0, 0, SET_ID],
    [EQUALS, 0, 1, 0],
    ALLOW,
    EPERM,
  ];
  for (const [call, index] of MODES) filter.only(call, refuseSetId(index));
  for (const [call, index] of OPENS)
    filter.only(call, [
      [LOAD, 0, 0, argumentAt(index)],
      [AND, 0, 0, MAKES],
      [EQUALS, 0, 1, 0],
      ALLOW,
      ...refuseSetId(index + 1),
    ]);
  return filter
    .only(CLONE, [[LOAD, 0, 0, argumentAt(0)], [AND, 0, 0, NEW_SPACES], [EQUALS, 0, 1, 0], ALLOW, EPERM])
    .only(SOCKET, [
      ...unlessOneOf(0, FAMILIES, EPERM),
      [LOAD, 0, 0, argumentAt(1)],
      [AND, 0, 0, KIND_MASK],
      [EQUALS, 2, 0, STREAM],
      [EQUALS, 1, 0, DATAGRAM],
      EPERM,
      ALLOW,
    ])
    .only(EXECVE, [
      [LOAD, 0, 0, argumentAt(0)],
      [EQUALS, 0, 3, PLACE.low],
      [LOAD, 0, 0, argumentAt(0) + 4],
      [EQUALS, 0, 1, PLACE.high],
      ALLOW,
      EPERM,
    ]).bytes;
}
