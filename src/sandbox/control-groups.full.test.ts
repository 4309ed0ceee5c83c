import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { ControlGroups } from './control-groups.ts';
import { removeGroups } from './group-files.ts';

const MB = 1024 * 1024;

it('what one owner has is below one limit, which goes with the last', async (t) => {
  const groups = ControlGroups.find();
  if (!groups.hasMemory) return t.skip('this machine has no groups for us');
  const make = (owner: string) =>
    groups.make(
      owner,
      { memoryBytes: 96 * MB, processes: 20, processors: 1 },
      { memoryBytes: 64 * MB, processes: 10, processors: 1 },
    );
  const [one, two, other] = await Promise.all([make('a'), make('a'), make('b')] as const);
  const beingMade = make('c');
  await groups.limit('c', { memoryBytes: 80 * MB, processes: 10, processors: 1 });
  const changed = await beingMade;
  const memory = (folders: string[]) => {
    const folder = folders.find((each) => each.includes('/memory/')) ?? folders[0] ?? '';
    const limit = (of: string) =>
      ['memory.limit_in_bytes', 'memory.max'].map((file) => join(of, file)).find((file) => existsSync(file)) ?? '';
    return [folder, dirname(folder)].map((each) => Number(readFileSync(limit(each), 'utf8')) / MB);
  };
  const above = one.folders.map((folder) => dirname(folder));
  assert.deepEqual(memory(one.folders), [64, 96]);
  assert.deepEqual(memory(changed.folders), [80, 80], 'limits that change while it is made');
  assert.deepEqual(two.folders.map(dirname), above);
  assert.notDeepEqual(other.folders.map(dirname), above);
  // All of them together count for less than one process of the service; where that is in the same group, it counts for more itself.
  const service = above.map(dirname).map((folder) => [folder, existsSync(join(folder, 'service'))] as const);
  for (const [folder, isWithService] of service) {
    const weight = (file: string) =>
      existsSync(join(folder, file)) ? Number(readFileSync(join(folder, file), 'utf8')) : 0;
    if (isWithService) assert.deepEqual([weight('service/cpu.weight'), weight('cpu.weight')], [2_000, 2_000]);
    else assert.ok(weight('cpu.shares') <= 256 && weight('cpu.weight') <= 25);
  }
  await one.remove();
  assert.deepEqual([...one.folders, ...above].filter(existsSync), above);
  await two.remove();
  assert.deepEqual([...two.folders, ...above].filter(existsSync), []);
  for (const each of [other, changed]) await each.remove();
  await groups.close();
});

it('what is in a group ends with it, and that it is gone is known', async (t) => {
  const groups = ControlGroups.find();
  const limits = { memoryBytes: 64 * MB, processes: 10, processors: 1 };
  const made = await groups.make('a', limits, limits);
  try {
    if (made.folders.length === 0) return t.skip('this machine has no groups for us');
    const child = spawn('sh', ['-c', 'read -r _; sleep 60 & echo begun; sleep 60']);
    const ended = once(child, 'close');
    for (const folder of made.folders) writeFileSync(join(folder, 'cgroup.procs'), String(child.pid));
    child.stdin.end('go\n');
    await once(child.stdout, 'data');
    assert.equal(await made.end(), true);
    await ended;
    assert.equal(child.signalCode, 'SIGKILL');
    assert.deepEqual(made.folders.filter(existsSync), []);
  } finally {
    await made.remove();
    await groups.close();
  }
});

it('all groups of PHP are below one limit of memory together, and count for less than the service', async (t) => {
  const groups = ControlGroups.find('php', 700 * MB);
  if (!groups.hasMemory) return t.skip('this machine has no groups for us');
  const limits = { memoryBytes: 64 * MB, processes: 10, processors: 1 };
  const made = await groups.make('a', limits, limits);
  try {
    const all = made.folders.map((folder) => dirname(dirname(folder)));
    const values = (names: string[]) =>
      all
        .flatMap((folder) => names.map((name) => join(folder, name)))
        .filter(existsSync)
        .map((file) => Number(readFileSync(file, 'utf8')));
    const memory = ['memory.limit_in_bytes', 'memory.max'];
    assert.deepEqual(values(memory), [700 * MB]);
    ControlGroups.find('php', 900 * MB);
    assert.deepEqual(values(memory), [900 * MB]);
    assert.ok(values(['cpu.shares']).every((shares) => shares < 1024));
    assert.ok(values(['cpu.weight']).every((weight) => weight < 2_000));
  } finally {
    await made.remove();
    await groups.close();
  }
});

/** A service in a group of version 2 that is its own, or not quite. It says where it is and what it made. */
async function serve(base: string, controller: string): Promise<{ made?: string; own: string }> {
  const program = `
    import { readFileSync } from 'node:fs';
    import { makeDelegated } from '${import.meta.dirname}/unified-groups.ts';
    const made = makeDelegated('${base}', 'siteyard', ['${controller}'], '25');
    console.log(JSON.stringify({ made, own: /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))[1] }));`;
  const args = ['-c', 'echo $$ > "$0/cgroup.procs"; exec "$@"', base, process.execPath, '--input-type=module'];
  const child = spawn('sh', [...args, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (part) => (text += part));
  await once(child, 'close');
  return JSON.parse(text);
}

/** These alone can be given on by a group with processes in it, whose groups are no good for processes then. The service asks for memory too. */
const FOR_THREADS = ['cpu', 'cpuset', 'pids', 'perf_event'];

/** A group with a controller to give on, where we may make one. */
function makeBase(t: TestContext): { base: string; path: string; controller: string } | undefined {
  const root = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((each) =>
    existsSync(join(each, 'cgroup.controllers')),
  );
  if (!root) return undefined;
  const read = (file: string) => readFileSync(join(root, file), 'utf8').split(/\s+/).filter(Boolean);
  const control = join(root, 'cgroup.subtree_control');
  const controller = read('cgroup.controllers').find((name) => !FOR_THREADS.includes(name)) ?? '';
  const path = `/test-${randomBytes(6).toString('hex')}`;
  try {
    const wasOn = read('cgroup.subtree_control').includes(controller);
    mkdirSync(join(root, path));
    t.after(() => {
      removeGroups(join(root, path));
      if (!wasOn) writeFileSync(control, `-${controller}`);
    });
    writeFileSync(control, `+${controller}`);
  } catch {
    return undefined;
  }
  return { base: join(root, path), path, controller };
}

it('a service steps aside in a group of its own, so that it can give controllers on', async (t) => {
  const found = makeBase(t);
  if (!found) return t.skip('there is no version 2 for us here');
  const { base, path, controller } = found;
  assert.deepEqual(await serve(base, controller), { made: `${base}/siteyard`, own: `${path}/siteyard/service` });
  const inside = join(base, 'siteyard/site');
  mkdirSync(inside);
  assert.equal(readFileSync(join(inside, 'cgroup.controllers'), 'utf8').trim(), controller);
  rmdirSync(inside);
});

it('a service moves nobody in a group that others are in too', async (t) => {
  const found = makeBase(t);
  if (!found) return t.skip('there is no version 2 for us here');
  const { base, path, controller } = found;
  const other = spawn('sleep', ['60']);
  writeFileSync(join(base, 'cgroup.procs'), String(other.pid));
  try {
    assert.deepEqual(await serve(base, controller), { own: path });
    assert.equal(existsSync(join(base, 'siteyard')), false);
    assert.equal(readFileSync(join(base, 'cgroup.procs'), 'utf8').trim(), String(other.pid));
  } finally {
    other.kill('SIGKILL');
    await once(other, 'close');
  }
});

it('what outlived its service ends when the next one starts; what that had beside its sandboxes does not', async (t) => {
  const groups = ControlGroups.find();
  const limits = { memoryBytes: 64 * MB, processes: 10, processors: 1 };
  const made = await groups.make('a', limits, limits);
  const [own] = made.folders;
  if (!own) return t.skip('this machine has no groups for us');
  await made.remove();
  const dead = spawn('true');
  await once(dead, 'close');
  const left = join(dirname(dirname(dirname(own))), `siteyard-${dead.pid}`);
  const [sandboxed, database] = [spawn('sleep', ['60']), spawn('sleep', ['60'])];
  const ended = once(sandboxed, 'close');
  t.after(async () => {
    database.kill('SIGKILL');
    await once(database, 'close');
    removeGroups(left);
    await groups.close();
  });
  for (const [name, { pid }] of [
    ['shared/own', sandboxed],
    ['service', database],
  ] as const) {
    mkdirSync(join(left, name), { recursive: true });
    writeFileSync(join(left, name, 'cgroup.procs'), String(pid));
  }
  ControlGroups.find();
  await ended;
  assert.equal(database.signalCode, null);
});
