import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { giveFolder } from '#core/file-owner.ts';
import { outsideGroups, Sandbox, type SandboxMode } from './sandbox.ts';

const NOBODY = 65534;
const EAFNOSUPPORT = 97;
const isRoot = process.getuid?.() === 0;

/** As root all three ways are tried here; a plain user is this very file, run by one. */
const MODES: SandboxMode[] = isRoot ? ['uids', 'root'] : ['user'];

for (const mode of MODES) {
  const sandbox = await Sandbox.find(mode);
  // Some containers forbid namespaces altogether, and the service says so at its start.
  if (!(sandbox instanceof Sandbox)) continue;
  describe(`a sandbox, ${mode}`, () => {
    let folder: string;
    let site: string;
    const uid = sandbox.uidOf('a');
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
      site = join(folder, 'sites/a/content');
      mkdirSync(site, { recursive: true });
      mkdirSync(join(folder, 'sites/b'));
      writeFileSync(join(folder, 'sites/b/secret'), 'of a neighbour');
      if (isRoot) giveFolder(site, uid);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    let count = 0;
    const start = (
      script: string,
      options: { uid?: number; processes?: number; isModest?: boolean; groups?: string[] } = { uid },
    ): ChildProcess => {
      const own = join(folder, `run-${count++}`);
      mkdirSync(own);
      const room = sandbox.room({
        folder: join(own, 'room'),
        shown: [{ from: site, at: '/site', isWritable: true }],
        later: [join(folder, 'sites')],
        uid,
        tmpBytes: 1024 * 1024,
        hasNetwork: false,
      });
      const { file, args, env } = sandbox.enter({
        room,
        list: join(own, 'mounts'),
        args: ['/bin/sh', '-c', script],
        cwd: '/site',
        ...options,
      });
      return spawn(file, args, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    };
    const run = async (script: string, options?: Parameters<typeof start>[1]) => {
      const child = start(script, options);
      let text = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (text += data));
      const code = await new Promise((resolve) => child.on('close', resolve));
      return { code, text };
    };

    it('passes on what the program says and how it ends', async () => {
      assert.deepEqual(await run('echo hello; echo oops >&2; exit 7'), { code: 7, text: 'hello\noops\n' });
      assert.equal((await run('kill -9 $$')).code, 137);
    });

    it('leaves the processors to others where it is to be modest', async () => {
      const [plain, modest] = [await run('nice'), await run('nice', { uid, isModest: true })];
      assert.equal(Number(modest.text) - Number(plain.text), 10);
    });

    it('says where it could not join a group, and runs all the same', async () => {
      const marks = () =>
        readdirSync(folder, { recursive: true })
          .map(String)
          .filter((name) => name.endsWith(outsideGroups('mounts')));
      assert.equal((await run('echo hello')).text, 'hello\n');
      assert.deepEqual(marks(), []);
      assert.equal((await run('echo hello', { uid, groups: ['/nowhere'] })).text, 'hello\n');
      assert.equal(marks().length, 1);
    });

    it('writes to devices, and changes nothing about them', async () => {
      const { text } = await run('echo x > /dev/null && echo written; chmod 666 /dev/null 2>/dev/null || echo refused');
      assert.equal(text, 'written\nrefused\n');
    });

    it('shows its own content and nothing else of the machine', async () => {
      assert.equal((await run('echo new > /site/made; cat /site/made')).text, 'new\n');
      assert.equal(readFileSync(join(site, 'made'), 'utf8'), 'new\n');
      const secrets = [
        join(folder, 'sites/b/secret'),
        join(folder, 'sites'),
        '/old',
        '/later',
        '/root',
        '/etc/shadow',
        '/home/site/.ssh',
        '/var',
      ];
      for (const path of secrets) assert.notEqual((await run(`ls '${path}'`)).code, 0, path);
      const roots = (await run('ls /')).text.trim().split('\n');
      assert.deepEqual(
        roots.filter((name) => !/^(bin|dev|etc|home|lib\w*|opt|proc|run|sbin|site|tmp|usr)$/.test(name)),
        [],
      );
      // A link leads to what is seen, whatever it says.
      assert.notEqual((await run(`ln -sf '${join(folder, 'sites/b')}' /site/link; cat /site/link/secret`)).code, 0);
    });

    it('can write its content and its scratch, within limits, and nothing else', async () => {
      for (const path of ['/usr/x', '/etc/x', '/x', '/opt/node/x', '/proc/x', '/run/x']) {
        assert.notEqual((await run(`echo x > ${path}`)).code, 0, path);
      }
      assert.equal((await run('echo x > /tmp/x && echo x > /home/site/x')).code, 0);
      assert.notEqual((await run('head -c 2000000 /dev/zero > /tmp/big')).code, 0);
    });

    it('has no rights, and no way to any', async () => {
      const { text } = await run('cat /proc/self/status; id -u');
      assert.match(text, /^CapEff:\s+0+$/m);
      // A plain user has none that could come back.
      if (mode !== 'user') assert.match(text, /^CapBnd:\s+0+$/m);
      assert.match(text, /^NoNewPrivs:\s+1$/m);
      if (mode === 'uids') assert.match(text, new RegExp(`^${uid}$`, 'm'));
      for (const attempt of [
        'mount -t tmpfs x /tmp',
        'unshare --user true',
        'unshare --mount true',
        'chroot /tmp /bin/true',
        'mknod /tmp/d b 8 0',
      ]) {
        assert.notEqual((await run(attempt)).code, 0, attempt);
      }
    });

    it('sees and signals none but its own processes', async () => {
      const { text } = await run('ls /proc | grep -c "^[0-9]"');
      assert.ok(Number(text) <= 6, text);
      assert.notEqual((await run(`kill -0 ${process.pid}`)).code, 0);
    });

    it('reaches nobody over a network where it has none', async () => {
      const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const dial = `bash -c 'cat < /dev/tcp/127.0.0.1/${port}'`;
      try {
        assert.notEqual((await run(dial)).code, 0);
        assert.equal((await promisify(execFile)('sh', ['-c', dial])).stdout, 'hello');
      } finally {
        server.close();
      }
    });

    it('opens sockets of its own network and of Unix alone', async () => {
      const open = 'socket(my $s, $_, $_ == 16 ? 3 : 1, 0) or printf "%d:%d ", $_, $!';
      const { text } = await run(`perl -MSocket -e 'for (0..50) { ${open} }'`);
      const refused = Object.fromEntries(
        text
          .trim()
          .split(' ')
          .map((pair) => pair.split(':').map(Number)),
      );
      for (let family = 0; family <= 50; family++)
        if (![1, 2, 10, 16].includes(family)) assert.equal(refused[family], EAFNOSUPPORT, `family ${family}`);
      for (const family of [1, 2, 16]) assert.equal(refused[family], undefined, `family ${family}`);
      assert.match((await run('cat /proc/self/status')).text, /^Seccomp:\s+2$/m);
    });

    it('can not use up the terminals of the machine', async () => {
      const script = `const fs = require('node:fs'); let n = 0;
        try { for (; n < 200; n++) fs.openSync('/dev/ptmx', fs.constants.O_RDWR | fs.constants.O_NOCTTY); } catch (e) {} console.log(n);`;
      assert.equal((await run(`/opt/node/node -e "${script}"`)).text, '64\n');
    });

    it('is shown more while it runs', async () => {
      const own = join(folder, 'growing');
      mkdirSync(join(own, 'slot/more'), { recursive: true });
      const room = sandbox.room({
        folder: join(own, 'room'),
        shown: [],
        later: [join(folder, 'sites')],
        tmpBytes: 4096,
        hasNetwork: true,
      });
      const script = 'until [ -e /slot/more/marker ]; do sleep 0.02; done; cat /slot/more/marker';
      const { file, args, env } = sandbox.enter({
        room,
        list: join(own, 'slot/mounts'),
        shown: [{ from: join(own, 'slot'), at: '/slot', isWritable: true }],
        args: ['/bin/sh', '-c', `echo ready; ${script}`],
        cwd: '/slot',
      });
      const child = spawn(file, args, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
      // Heard from the start: it may be done before we know that it was shown.
      let said = '';
      child.stdout.on('data', (data) => (said += data));
      const closed = once(child, 'close');
      writeFileSync(join(site, 'marker'), 'here');
      await once(child.stdout, 'data');
      const list = { file: join(own, 'slot/later'), at: '/slot/later' };
      await sandbox.show(child.pid ?? 0, room, list, [{ from: site, at: '/slot/more', isWritable: true }]);
      await closed;
      assert.equal(said, 'ready\nhere');
      assert.throws(() => room.laterMounts([{ from: '/etc/passwd', at: '/slot/x' }]));
    });

    it('ends with everything that it left behind', async () => {
      const mark = `${60 + Math.random()}`;
      const child = start(`(setsid sh -c 'sleep ${mark}; true' &) ; sleep ${mark}`);
      await eventually(() => sleepersOf(mark).length === 2);
      child.kill('SIGKILL');
      await eventually(() => processesWith(mark).length === 0);
    });

    it('ends with whoever started it, however that ends', async () => {
      const mark = `${60 + Math.random()}`;
      const program = `
        import { spawn } from 'node:child_process';
        import { Sandbox } from '${import.meta.dirname}/sandbox.ts';
        const sandbox = await Sandbox.find('${mode}');
        const room = sandbox.room({ folder: '${folder}/theirs', shown: [], tmpBytes: 4096, hasNetwork: false });
        const { file, args, env } = sandbox.enter({ room, list: '${folder}/theirs-mounts', args: ['sleep', '${mark}'], cwd: '/', uid: ${uid} });
        spawn(file, args, { cwd: '/', env, detached: true, stdio: 'ignore' });`;
      const service = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
      await eventually(() => sleepersOf(mark).length === 1);
      service.kill('SIGKILL');
      await eventually(() => processesWith(mark).length === 0);
    });
  });
}

if (isRoot) {
  it('works for a plain user too', async () => {
    // Whoever that is can read neither our sources nor our packages where these are root's alone.
    const home = mkdtempSync(join(tmpdir(), 'plain-'));
    chmodSync(tmpdir(), 0o711);
    chownSync(home, NOBODY, NOBODY);
    const args = [
      '--reuid',
      String(NOBODY),
      '--regid',
      String(NOBODY),
      '--clear-groups',
      process.execPath,
      import.meta.filename,
    ];
    const env = { PATH: process.env.PATH ?? '', TMPDIR: home };
    try {
      const { stdout } = await promisify(execFile)('setpriv', args, {
        env,
        cwd: '/',
        timeout: 120_000,
        killSignal: 'SIGKILL',
      });
      assert.match(stdout, /fail 0/);
      assert.match(stdout, /pass [1-9]/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
}

const sleepersOf = (mark: string) => processesWith(mark).filter((pid) => commandOf(pid).startsWith('sleep'));

function processesWith(mark: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid && commandOf(pid).includes(mark));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

async function eventually(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo(); await sleep(20))
    assert.ok(Date.now() < end, 'it did not happen in time');
}
