import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Random, SEED } from '#testkit/random.ts';
import { FATES, RecordedDisk } from './disk.ts';
import { type Entry, Ledger } from './ledger.ts';
import { Survivors } from './survivors.ts';
import { readRecord, record } from './system-calls.ts';

/**
 * Cuts the power at many moments of a busy hour and looks at what is left: docs/decisions/0016. CUTS=300 for the long form.
 */
const CUTS = Number(process.env.CUTS ?? 24);
const ROUNDS = Math.max(1, Math.round(CUTS / 100));
/** Each takes as long as a restore. */
const BACKUPS_LOOKED_AT = 2;

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'siteyard-power-')));
after(() => rmSync(scratch, { recursive: true, force: true }));

test(`after ${CUTS} power cuts all that was acknowledged is there, and no database is broken`, async (t) => {
  const { disk, ledger, calls } = await recordWork();
  const random = new Random(SEED);
  const faults: string[] = [];
  for (let count = 0; count < CUTS; count++) {
    // Half of them right after something was promised, when most may be missing.
    const cut = count % 2 === 0 ? random.pick(ledger.promises) + random.below(3) : random.below(calls);
    const fate = FATES[(count >> 1) % FATES.length] ?? 'lost';
    const folder = join(scratch, 'state');
    disk.writeStateTo(folder, cut, fate, random, ['run']);
    for (const fault of await findFaults(folder, ledger, cut)) faults.push(`cut at ${cut}, ${fate}: ${fault}`);
    rmSync(folder, { recursive: true, force: true });
  }
  t.diagnostic(`${calls} system calls, ${ledger.promises.length} promises, ${CUTS} cuts, seed ${SEED}`);
  assert.ok(ledger.promises.length >= 20 * ROUNDS, 'too little happened to prove anything');
  assert.deepEqual(faults.slice(0, 20), [], `${faults.length} faults`);
});

async function recordWork(): Promise<{ disk: RecordedDisk; ledger: Ledger; calls: number }> {
  const [dataDir, notes, file] = ['data', 'ledger', 'record'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(dataDir);
  const program = join(import.meta.dirname, 'work.ts');
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program];
  await record(file, [...node, dataDir, notes, String(ROUNDS)]);
  const disk = new RecordedDisk(dataDir);
  const ledger = new Ledger();
  let calls = 0;
  for await (const call of readRecord(file)) {
    calls = call.end;
    const [to, line] = call.args;
    if (call.name === 'write' && to?.path === notes) ledger.add(JSON.parse(String(line?.bytes)) as Entry, call.start);
    else disk.add(call);
  }
  return { disk, ledger, calls };
}

async function findFaults(folder: string, ledger: Ledger, cut: number): Promise<string[]> {
  const allowed = ledger.allowedAt(cut);
  const isGoing = (siteId: string) => allowed.get(`site ${siteId}`)?.has('going') ?? false;
  const survivors = await Survivors.read(folder, isGoing);
  const lost: string[] = [];
  const backups: string[] = [];
  for (const [thing, values] of allowed) {
    const [kind, siteId = ''] = thing.split(' ');
    if (kind === 'backup') backups.push(thing);
    else if (!isGoing(siteId)) {
      const value = survivors.values.get(thing) ?? null;
      if (!values.has(value)) lost.push(`${thing} is ${value} and not ${[...values].join(' or ')}`);
    }
  }
  for (const thing of backups.slice(-BACKUPS_LOOKED_AT)) {
    const [, siteId = '', hash = ''] = thing.split(' ');
    if (!(await survivors.hasBackup(siteId, hash))) lost.push(`${thing} is gone`);
  }
  return [...survivors.faults, ...lost];
}
