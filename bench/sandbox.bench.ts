import type { SiteSpec } from '#runtimes/runtime.ts';
import { createSite, request } from '#testkit/contracts/contract-site.ts';
import { openTestRuntime, prepareWordPress } from '#testkit/drivers/wordpress-cache.ts';
import { median } from './load.ts';
import { cpuSecondsOfTree, descendants, rssBytesOf } from './proc.ts';
import type { Report } from './report.ts';

/** What the sandbox costs PHP: the same driver with it and without, in turns. */
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const PAGES = 60;
const KINDS = ['none', 'auto'] as const;
const MEASURES = {
  create: ['a new site', 'ms', 1.1],
  wake: ['the first page of a site that wakes, with a warm process', 'ms', 1.1],
  start: ['the first page without a warm process, of the processor', 'ms', 1.1],
  page: ['a page, of the processor', 'ms', 1.05],
  memory: ['memory of an awake site', 'MB', 1.1],
} as const satisfies Record<string, [string, string, number]>;

type Measure = keyof typeof MEASURES;
type Figures = Record<Measure, number[]>;

export async function run(): Promise<Report> {
  await prepareWordPress();
  const found: Record<(typeof KINDS)[number], Figures> = { none: noFigures(), auto: noFigures() };
  for (let round = 0; round < ROUNDS; round++) for (const kind of KINDS) await measure(kind, found[kind]);
  const names = Object.keys(MEASURES) as Measure[];
  const ratio = (name: Measure) => median(found.auto[name]) / median(found.none[name]);
  return {
    name: 'bench/sandbox',
    intro: `PHP in the sandbox, and under Node's permission model alone; medians of ${ROUNDS} rounds in turns, ${PAGES} pages each.`,
    tables: [
      {
        head: ['', 'without', 'in the sandbox', 'ratio'],
        rows: names.map((name) => {
          const [text, unit] = MEASURES[name];
          const value = (kind: (typeof KINDS)[number]) => `${median(found[kind][name]).toFixed(1)} ${unit}`;
          return [text, value('none'), value('auto'), ratio(name).toFixed(2)];
        }),
      },
    ],
    goals: names.map((name) => {
      const [text, , most] = MEASURES[name];
      return { text: `${text}: at most ${most} of without (${ratio(name).toFixed(2)})`, met: ratio(name) <= most };
    }),
  };
}

async function measure(sandbox: (typeof KINDS)[number], figures: Figures): Promise<void> {
  const { runtime, close } = await openTestRuntime({ sandbox, compiler: 'optimizing', standbyWorkers: 1 });
  const ask = async (site: SiteSpec) => {
    const { status } = await request(runtime, site, { path: '/' });
    if (status !== 200) throw new Error(`the site answers ${status}`);
  };
  const wall = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    return performance.now() - startedAt;
  };
  const processor = async (work: () => Promise<unknown>) => {
    const before = cpuSecondsOfTree(process.pid);
    await work();
    return (cpuSecondsOfTree(process.pid) - before) * 1000;
  };
  try {
    // The first one also says that warm processes are wanted.
    const site = await createSite(runtime, 'measured.localhost');
    figures.create.push(await wall(() => createSite(runtime, 'second.localhost')));
    while (runtime.standbyReady === 0) await new Promise((wait) => setTimeout(wait, 100));
    figures.wake.push(await wall(() => ask(site)));
    while (runtime.standbyReady === 0) await new Promise((wait) => setTimeout(wait, 100));
    await ask(site);
    const ofPages = await processor(async () => {
      for (let count = 0; count < PAGES; count++) await ask(site);
    });
    figures.page.push(ofPages / PAGES);
    const pid = runtime.awake()[0]?.pid ?? 0;
    const around = descendants(process.pid).filter((each) => each !== process.pid && descendants(each).includes(pid));
    figures.memory.push(around.reduce((sum, each) => sum + rssBytesOf(each), 0) / 1024 / 1024);
  } finally {
    await close();
  }
  const cold = await openTestRuntime({ sandbox, compiler: 'optimizing', standbyWorkers: 0 });
  try {
    const site = await createSite(cold.runtime, 'cold.localhost');
    figures.start.push(await processor(() => request(cold.runtime, site, { path: '/' })));
  } finally {
    await cold.close();
  }
}

function noFigures(): Figures {
  return Object.fromEntries(Object.keys(MEASURES).map((name) => [name, []])) as unknown as Figures;
}
