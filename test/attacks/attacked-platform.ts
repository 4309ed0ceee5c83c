import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveFolder } from '#core/file-owner.ts';
import { createLog } from '#core/log.ts';
import { folderBytes } from '#runtimes/folders/site-folder.ts';
import type { Command, CommandResult, SiteSpec } from '#runtimes/runtime.ts';
import { DiskWatch } from '#runtimes/shell/disk-watch.ts';
import { SiteShells } from '#runtimes/shell/site-shells.ts';
import { folderInside, runWatched, startingIn } from '#runtimes/shell/watched-shell.ts';
import { Sandbox, type SandboxMode } from '#sandbox/sandbox.ts';

/**
 * A platform with one site whose people attack it, as a program: it is started as root or as a plain user, and says as JSON what came of each
 * attack (shell.test.ts). With `--hold` it only starts something in a sandbox and waits to be killed.
 */
const [mode, flag] = process.argv.slice(2) as [SandboxMode, string?];
const root = mkdtempSync(join(tmpdir(), 'attacked-'));
const site = { id: 'attacked', coreVersion: '1' } as SiteSpec;
const NEIGHBOUR = join(root, 'neighbour');
const CONTENT = join(root, 'content');
/** Tells our sleepers from those of others. */
const MARK = 100_000 + 10 * process.pid;
const secret = process.env.ATTACK_SECRET ?? '';

const sandbox = await Sandbox.find(mode);
if (!(sandbox instanceof Sandbox)) {
  console.log(JSON.stringify({ missing: sandbox.missing }));
  process.exit(0);
}
for (const folder of ['content/plugins', 'core/wp-content/themes', 'neighbour'])
  mkdirSync(join(root, folder), { recursive: true, mode: 0o755 });
writeFileSync(join(NEIGHBOUR, 'secret.txt'), secret);
const shells = new SiteShells({
  sandbox,
  runFolder: join(root, 'run'),
  foldersOf: () => ({ content: join(root, 'content'), core: join(root, 'core') }),
  giveToOwner: (siteId) => {
    if (sandbox.mode === 'uids') giveFolder(join(root, 'content'), sandbox.uidOf(siteId));
  },
  exec: answer,
  log: createLog('silent'),
});
await shells.open();
const usedBytes = () => folderBytes([CONTENT]);
const disk = new DiskWatch({ folder: root, usageBytes: usedBytes });

let answering = 0;
let mostAnswering = 0;
/** Stands for PHP. */
async function answer(_site: SiteSpec, command: Command): Promise<CommandResult> {
  answering++;
  mostAnswering = Math.max(mostAnswering, answering);
  // Whoever is asked to wait does so until the site says that it has seen enough.
  while (command.args[1] === 'wait' && !existsSync(join(root, 'content/go')))
    await new Promise((wait) => setTimeout(wait, 20));
  answering--;
  await command.onOutput?.('stdout', Buffer.from('php\n'));
  return { exitCode: 0, stdout: '', stderr: '', truncated: false, durationMs: 0 };
}

async function run(
  script: string,
  { memoryBytes, ...options }: Partial<Command> & { memoryBytes?: number } = {},
): Promise<CommandResult> {
  const limits = { timeoutMs: 20_000, maxOutputBytes: 100_000, ...options };
  const { args, token } = startingIn(folderInside(), ['bash', '-c', script]);
  const seat = await disk.seat(site.id, limits.maxDiskBytes);
  const entry = await shells.enter(site, {
    args,
    limits: { fileBytes: seat.room.fileBytes, ...(memoryBytes && { memoryBytes }) },
  });
  const command: Command = { args: ['bash', '-c', script], ...limits };
  return runWatched(entry, token, command, seat);
}

const listening = (at: string | number) =>
  new Promise<Server>((resolve) => {
    const server = createServer((socket) => socket.end(secret));
    if (typeof at === 'number') server.listen(at, '127.0.0.1', () => resolve(server));
    else server.listen(at, () => resolve(server));
  });

/** Processes on this machine that sleep for so many seconds, which tells whose they are. */
function sleepers(seconds: number): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  }).length;
}

if (flag === '--hold') {
  void run('(setsid sleep 97801 &); sleep 97801', { timeoutMs: 60_000 });
  while (sleepers(97801) < 2) await new Promise((wait) => setTimeout(wait, 20));
  console.log('holding');
  await new Promise(() => {});
}

/** Room for the asking, 6 GB within a moment: what `fallocate` does, without a process for each file. */
const ASK_FOR_ROOM = `perl -e 'my ($call) = @ARGV; for my $i (1 .. 400) {
    open my $file, ">", "big$i"; print "$!\n" if syscall($call, fileno $file, 0, 0, 15_000_000) != 0 && $i == 1;
  }' ${process.arch === 'arm64' ? 47 : 285}`;

/** Each has 20 MB of room, and what the site takes up at last is more than that by a few files at most. */
async function attackDisk(): Promise<Record<string, unknown>> {
  const ended: Record<string, unknown> = {};
  const attempt = async (name: string, script: string, room = 20e6) => {
    const before = await usedBytes();
    const { exitCode, stdout } = await run(script, { maxDiskBytes: before + room });
    ended[name] = [exitCode, stdout, (await usedBytes()) - before < 400e6];
    if (existsSync(join(CONTENT, 'h'))) chmodSync(join(CONTENT, 'h'), 0o700);
    for (const left of readdirSync(CONTENT).filter((each) => /^(h|big)/.test(each)))
      rmSync(join(CONTENT, left), { recursive: true });
  };
  await attempt('file', 'fallocate -l 1G big || echo refused; truncate -s 1G big || echo refused; rm -f big');
  await attempt('files', 'for i in $(seq 1 400); do head -c 15M /dev/zero > big$i; done; sleep 15');
  await attempt('asked', ASK_FOR_ROOM);
  await attempt('deleted', 'for i in 1 2 3; do exec {f}>big; rm big; head -c 15M /dev/zero >&$f; done; sleep 15');
  await attempt('hidden', 'mkdir h; for i in 1 2 3; do head -c 15M /dev/zero > h/$i; done; chmod 311 h; sleep 15');
  await attempt('over', 'touch big; echo x > big || echo refused; rm big && echo deleted', -1);
  return ended;
}

const found: Record<string, unknown> = {};
const tcp = await listening(0);
const { port } = tcp.address() as { port: number };
const abstract = await listening(`\0siteyard-${process.pid}`);
const bystander = spawn('sleep', [String(MARK + 1)]);

// In two parts, since the question itself is in the arguments of who asks.
const seen = `[[ $(cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' ' ') == *${secret.slice(0, 5)}''${secret.slice(5)}* ]]`;
found.environment = (await run(`${seen} && echo seen`)).stdout;
found.neighbour = (
  await run(`cat ${NEIGHBOUR}/secret.txt; ls ${root} ${process.cwd()}; find / -name secret.txt 2>/dev/null`)
).stdout;
found.links = (await run(`ln -s ${NEIGHBOUR} l; cat l/secret.txt; ln -s /proc/1/root r; ls r${root}; rm l r`)).stdout;
found.writes = (
  await run(`for f in /usr/x /site/wordpress/x /opt/siteyard/bin/x /run/siteyard/x /etc/x /x /bin/x /opt/node/x; do
    echo 1 > $f && echo $f; done; mv /run/siteyard/tools.sock /tmp/ && echo moved; rm -f /opt/siteyard/bin/wp && echo removed`)
).stdout;
found.mounts = (
  await run(`mount -t tmpfs x /tmp && echo tmpfs; mount --bind / /tmp && echo bind; umount -l /site/wordpress && echo umount
    mount -o remount,rw /usr && echo remount; chroot / true && echo chroot; mknod /tmp/d b 8 0 && echo mknod`)
).stdout;
found.namespaces = (
  await run(
    'unshare -Ur true && echo user; unshare -m true && echo mount; unshare -p -f true && echo pid; unshare -n true && echo net',
  )
).stdout;
found.rights = (
  await run(
    'grep -hE "^(CapEff|NoNewPrivs|Groups)" /proc/self/status; grep -c . /proc/net/tcp; ls /sys /boot /root /home',
  )
).stdout;
found.signals = (await run(`kill -9 ${process.pid} ${bystander.pid} && echo killed; kill -9 -1; kill -9 $$`)).exitCode;
found.bystander = bystander.exitCode === null && bystander.signalCode === null;
found.network = (
  await run(`(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3); (exec 3<>/dev/tcp/1.1.1.1/80 && echo out)
    /opt/node/node -e "require('net').connect('\\0siteyard-${process.pid}').on('data', (d) => console.log(String(d))).on('error', () => {})"`)
).stdout;
const marker = join(tmpdir(), `attack-${process.pid}`);
writeFileSync(marker, secret);
found.tmp = (
  await run(`cat ${marker}; head -c 400M /dev/zero > /tmp/full 2>/dev/null || echo full; touch /tmp/left`)
).stdout;
found.left = (await run('ls /tmp')).stdout;
rmSync(marker);
const flood = await run('yes', { timeoutMs: 120_000 });
found.flood = { length: flood.stdout.length, exitCode: flood.exitCode };
const bomb = await run('f() { f | f & }; f; sleep 100', { timeoutMs: 1_500 });
found.bomb = bomb.exitCode;
await run(`(setsid sleep ${MARK} >/dev/null 2>&1 &); (nohup sleep ${MARK} >/dev/null 2>&1 &); exit 0`);
found.daemons = sleepers(MARK);
const memory = await run(`/opt/node/node -e "const a = []; for (;;) a.push(Buffer.alloc(50e6, 1))"`, {
  timeoutMs: 120_000,
});
found.memory = memory.exitCode !== 0 && memory.exitCode !== 124;
const MEMFD = process.arch === 'arm64' ? 279 : 319;
const hidden = await run(
  `perl -e '$n = "x"; open($f, ">&=", syscall(${MEMFD}, $n, 0)) or die; $x = "x" x 20e6; syswrite($f, $x) for (1..10); sleep 60'`,
  { timeoutMs: 60_000, memoryBytes: 100e6 },
);
found.memoryFile = hidden.exitCode;
found.disk = await attackDisk();
const many = await run(`for i in 1 2 3 4 5 6; do (wp wait || echo $? >> /tmp/refused) & done
  until [ "$(grep -c 75 /tmp/refused 2>/dev/null)" = 2 ]; do sleep 0.05; done; touch go; wait`);
found.tools = {
  most: mostAnswering,
  answered: many.stdout.split('php').length - 1,
  refused: many.stderr.split('At most').length - 1,
};
await run(
  `/opt/node/node -e "const s = require('net').connect('/run/siteyard/tools.sock'); s.on('error', () => {}); s.write(Buffer.alloc(200000, 255)); setTimeout(() => process.exit(), 200)"`,
);
found.after = (await run('wp x')).stdout;
const ended = run(`sleep ${MARK + 2}`);
while (sleepers(MARK + 2) === 0) await new Promise((wait) => setTimeout(wait, 10));
await shells.end(site.id);
found.ended = [(await ended).exitCode, sleepers(MARK + 2)];
await shells.close();
bystander.kill();
for (const server of [tcp, abstract]) server.close();
rmSync(root, { recursive: true, force: true });
console.log(JSON.stringify(found));
process.exit(0);
