import { httpInputs } from './hostile-http.ts';
import { type Hostile, MB } from './hostile-input.ts';
import { siteInputs } from './hostile-sites.ts';
import { median } from './load.ts';
import type { Goal, Report } from './report.ts';

/**
 * Measures the cost of parsing the worst input of at most 1 MB. All sites share one process, so this is how long one
 * hostile request blocks all others. Archives and dumps of SQL are read in a process of their own.
 */
const GOAL_MS = 50;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** What takes so long is measured once. */
const ONCE_MS = 1_000;

type Measured = Hostile & { ms: number };

export async function run(): Promise<Report> {
  const numbers = `[${'1,'.repeat(MB / 2 - 1)}1]`;
  const peer = await measure(() => JSON.parse(numbers));
  const worst = new Map<string, Measured>();
  for (const hostile of [...httpInputs(), ...siteInputs()]) {
    const ms = await measure(hostile.read);
    if (ms >= (worst.get(hostile.name)?.ms ?? 0)) worst.set(hostile.name, { ...hostile, ms });
  }
  const all = [...worst.values()];
  const [shared, apart] = [all.filter(({ isApart }) => !isApart), all.filter(({ isApart }) => isApart)];
  return {
    name: 'bench/hostile',
    intro: `CPU of reading the worst input that each parser takes, up to 1 MB, median of ${ROUNDS}; against JSON.parse of 1 MB of numbers in the same run (${peer.toFixed(1)} ms).`,
    tables: [tableOf('in the process of all sites', shared, peer), tableOf('in a process of its own', apart, peer)],
    goals: [goalOf('in the process of all sites', shared), goalOf('in a process of its own', apart)],
  };
}

function tableOf(where: string, measured: readonly Measured[], peer: number) {
  const rows = measured.map(({ name, bytes, ms }) => [
    name,
    (bytes / 1024).toFixed(0),
    ms.toFixed(1),
    (ms / peer).toFixed(2),
  ]);
  return { head: [where, 'kB', 'CPU ms', 'to JSON.parse'], rows };
}

function goalOf(where: string, measured: readonly Measured[]): Goal {
  const missed = measured.filter(({ ms }) => ms > GOAL_MS).map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`);
  const besides = missed.length > 0 ? `; more take ${missed.join(', ')}` : '';
  return { text: `${where} each takes at most ${GOAL_MS} ms${besides}`, met: missed.length === 0 };
}

/** CPU of this process in milliseconds. */
async function measure(read: () => unknown): Promise<number> {
  const times: number[] = [];
  while (times.length < ROUNDS && (times[0] ?? 0) < ONCE_MS) {
    const before = process.cpuUsage();
    await read();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return median(times);
}
