import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createLog } from '#core/log.ts';
import { Pressure } from '#runtimes/turns/pressure.ts';
import { diskOf } from '#sandbox/disk-device.ts';
import { createSite, newSpec, putProbe, request } from '#testkit/contracts/contract-site.ts';
import { noFpm, openFpmRuntime } from '#testkit/drivers/fpm-runtime.ts';
import { eventually } from '#testkit/expect.ts';
import { movableClock } from '#testkit/movable-clock.ts';
import { FpmTurns, type KnownSite } from './fpm-turns.ts';

const MB = 1024 * 1024;

/** A machine with room for these sites and no other, all of them at work. It tells who made way, and how. */
function fullMachine(context: TestContext, names: string[]) {
  const clock = movableClock(context);
  const told: string[] = [];
  const sites = names.map((id) => {
    const awake = { isWanted: true, idleSince: undefined as number | undefined };
    const rest = async (_graceMs: number, _why: string, ended: () => void) => {
      told.push(`${id} rests`);
      ended();
      return 0;
    };
    const spec = { ...newSpec({ coreVersion: '', phpVersion: '' }, id), id, team: `team of ${id}` };
    const site = { awake, rest, isLeaving: false } as unknown as KnownSite['site'];
    return { spec, site, awake, memoryBytes: 0, placedAt: undefined, readyAt: undefined } as KnownSite & {
      awake: typeof awake;
    };
  });
  const known = new Map(sites.map((site) => [site.spec.id, site]));
  const pressure = new Pressure(createLog('silent'));
  const turns = new FpmTurns({
    memoryBudgetBytes: 2 * 96 * MB,
    sites: () => sites,
    putToSleep: async (id) => {
      told.push(`${id} sleeps`);
      Object.assign(known.get(id) ?? {}, { placedAt: undefined, readyAt: undefined, memoryBytes: 0 });
    },
    pressure,
  });
  context.after(() => turns.places.close());
  const start = (id: string) =>
    turns.start(known.get(id) as KnownSite, new AbortController().signal, async () => {
      told.push(`${id} starts`);
      return id;
    });
  return { turns, told, start, clock, known };
}

describe('sites where memory is short', () => {
  it('wait for room in a row, for which the one that was used longest ago goes to sleep', async (context) => {
    const { told, start, known, clock, turns } = fullMachine(context, ['a', 'b', 'c']);
    await Promise.all([start('a'), start('b')]);
    const third = start('c');
    assert.equal(turns.places.waiting, 1);
    for (const [id, agoMs] of [
      ['a', 1_500],
      ['b', 5_000],
    ] as const)
      (known.get(id) as unknown as { awake: { idleSince: number } }).awake.idleSince = performance.now() - agoMs;
    clock.tick(2_000);
    turns.places.look();
    assert.equal(await third, 'c');
    assert.deepEqual(told, ['a starts', 'b starts', 'b sleeps', 'c starts']);
  });

  it('that are all at work let others have a turn when theirs is over', async (context) => {
    const { told, start, known, clock, turns } = fullMachine(context, ['a', 'b', 'c']);
    await start('a');
    await start('b');
    for (const site of known.values()) site.memoryBytes = 96 * MB;
    const third = start('c');
    clock.tick(5_000);
    turns.places.look();
    assert.deepEqual(told, ['a starts', 'b starts'], 'not before');
    clock.tick(6_000);
    turns.places.look();
    assert.equal(await third, 'c');
    assert.deepEqual(told.slice(2), ['a rests', 'c starts']);
  });
});

const why = await noFpm();
if (why) describe('native PHP', () => it('can not be tried here', { skip: why }));
else
  describe('native PHP', () => {
    it('puts an unused site to sleep for one that wakes, where there is room for one', async () => {
      const { runtime, close } = await openFpmRuntime({ memoryBudgetBytes: 100 * MB });
      try {
        const [one, two] = [await createSite(runtime, 'one.localhost'), await createSite(runtime, 'two.localhost')];
        const ask = async (site: typeof one) => {
          const path = await putProbe(runtime, site, 'hello.php', "echo 'hello';");
          return (await request(runtime, site, { path })).status;
        };
        const awake = () => [...new Set(runtime.awake().map(({ siteId }) => siteId))];
        assert.equal(await ask(one), 200);
        assert.deepEqual(awake(), [one.id]);
        assert.equal(await ask(two), 200);
        assert.deepEqual(awake(), [two.id]);
        const { waiting, turnedAway, ended } = runtime.pressure;
        assert.deepEqual({ waiting, turnedAway, ended }, { waiting: 0, turnedAway: 0, ended: 0 });
      } finally {
        await close();
      }
    });

    it('gives a site what its plan has, and something else when that changes', async () => {
      const { runtime, dataDir, close } = await openFpmRuntime();
      try {
        const site = await createSite(runtime, 'share.localhost');
        const spent = 'usleep(200000); echo json_encode([$_SERVER["REQUEST_TIME_FLOAT"], microtime(true)]);';
        const path = await putProbe(runtime, site, 'spent.php', spent);
        const times = async (): Promise<[number, number]> => JSON.parse((await request(runtime, site, { path })).text);
        const areApart = async () => {
          const [[a, b], [c, d]] = await Promise.all([times(), times()]);
          return b <= c || d <= a;
        };
        await times();
        await eventually(async () => !(await areApart()));
        runtime.setShare(site.id, { processes: 1, processors: 0.5, ioBytesPerSecond: 10 * MB });
        assert.equal(await areApart(), true);
        const [process] = runtime.awake();
        const before = limitsOf(process?.pid ?? 0, dataDir);
        if (before.memory === undefined) return;
        assert.deepEqual(before, { memory: (3 * 300 + 256) * MB, quotaUs: 50_000, io: 10 * MB });
        runtime.setShare(site.id, { processes: 2, processors: 2, ioBytesPerSecond: 20 * MB });
        const after = () => limitsOf(process?.pid ?? 0, dataDir);
        await eventually(async () => after().io === 20 * MB);
        assert.deepEqual(after(), { memory: (4 * 300 + 256) * MB, quotaUs: 200_000, io: 20 * MB });
        await eventually(async () => !(await areApart()));
      } finally {
        await close();
      }
    });
  });

/** What the kernel holds all of a site to; undefined where the machine has no such groups for us. */
function limitsOf(pid: number, dataDir: string) {
  const device = diskOf(dataDir) ?? '';
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
  const read = (controller: string, ...files: string[]) => {
    const unified = existsSync('/sys/fs/cgroup/cgroup.controllers');
    const line = groups.find((each) => (unified ? each.startsWith('0::') : each.split(':')[1] === controller));
    const group = dirname(line?.split(':')[2] ?? '/');
    const folders = unified ? [join('/sys/fs/cgroup', group)] : [join('/sys/fs/cgroup', controller, group)];
    const file = folders.flatMap((folder) => files.map((name) => join(folder, name))).find((each) => existsSync(each));
    return file === undefined ? '' : readFileSync(file, 'utf8').trim();
  };
  const memory = Number(read('memory', 'memory.limit_in_bytes', 'memory.max')) || undefined;
  const quotaUs = Number.parseInt(read('cpu', 'cpu.cfs_quota_us', 'cpu.max'), 10);
  const text = read('blkio', 'blkio.throttle.write_bps_device', 'io.max');
  const io = Number(new RegExp(`^${device} (?:.*wbps=)?(\\d+)`, 'm').exec(text)?.[1]) || undefined;
  return { memory, quotaUs, io };
}
