import { spawn, spawnSync } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSite } from '#testkit/contracts/contract-site.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';
import { Sandbox } from '../src/sandbox/sandbox.ts';
import { median } from './load.ts';
import { cpuSecondsOf, descendants } from './proc.ts';
import type { Report } from './report.ts';

/**
 * Commands in a site's shell, from the call of the driver to its answer, beside the same in bubblewrap where the machine has it, else in plain
 * bash. What wp-cli costs is said in processor time too, since a busy machine stretches the rest.
 */
const ROUNDS = 10;
const FIND = 'find /usr/share | wc -l';
const BWRAP = [
  'bwrap',
  '--ro-bind',
  '/usr',
  '/usr',
  '--symlink',
  'usr/bin',
  '/bin',
  '--symlink',
  'usr/lib',
  '/lib',
  '--proc',
  '/proc',
  '--unshare-all',
];

export async function run(): Promise<Report> {
  const hasBwrap = spawnSync('bwrap', ['--version']).status === 0;
  const { runtime, close } = await openTestRuntime({ compiler: 'optimizing' });
  try {
    const site = await createSite(runtime, 'bench.localhost');
    await giveContent(runtime.contentFolder(site.id), site.id);
    const shell = async (script: string) => {
      const limits = { timeoutMs: 120_000, maxOutputBytes: 1_000_000 };
      const { exitCode, stderr } = await runtime.exec(site, { args: ['bash', '-c', script], ...limits });
      if (exitCode !== 0) throw new Error(`${script}: ${stderr}`);
    };
    const peer = (script: string) => finished(hasBwrap ? [...BWRAP, 'bash', '-c', script] : ['bash', '-c', script]);
    const ours = { true: await medianMs(() => shell('true')), find: await medianMs(() => shell(FIND)) };
    const theirs = { true: await medianMs(() => peer('true')), find: await medianMs(() => peer(FIND)) };
    const wp = async () => {
      const before = cpuSeconds();
      const ms = await took(() => shell('wp option get home'));
      return { ms, seconds: cpuSeconds() - before };
    };
    const first = await wp();
    const second = await wp();
    const later = await wp();
    const name = hasBwrap ? 'bwrap' : 'plain bash';
    const row = (what: string, our: number, their: number) => [
      what,
      `${our.toFixed(0)} ms`,
      `${their.toFixed(0)} ms`,
      (our / their).toFixed(1),
    ];
    const commands = [first, second, later].map(({ ms, seconds }, at) => [
      ['first', 'second', 'third'][at] ?? '',
      `${ms.toFixed(0)} ms`,
      `${seconds.toFixed(2)} s`,
    ]);
    return {
      name: 'bench/shell',
      intro: `Commands in the shell of a site (\`${runtime.shell}\`), medians of ${ROUNDS}, beside ${name}.`,
      tables: [
        {
          head: ['', 'shell', name, 'ratio'],
          rows: [row('`true`', ours.true, theirs.true), row(`\`${FIND}\``, ours.find, theirs.find)],
        },
        { head: ['`wp option get home`', 'until its answer', 'processor time of PHP'], rows: commands },
      ],
      goals: [
        {
          text: `the second wp-cli command takes at most 0.8 s of processor (${second.seconds.toFixed(2)} s)`,
          met: second.seconds <= 0.8,
        },
        { text: `\`true\` answers within 150 ms (${ours.true.toFixed(0)} ms)`, met: ours.true <= 150 },
      ],
    };
  } finally {
    await close();
  }
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await took(work));
  return median(times);
}

function finished([file = '', ...args]: string[]): Promise<unknown> {
  return new Promise((resolve) => spawn(file, args, { stdio: 'ignore' }).once('close', resolve));
}

/** Of what this process started and what still runs: the PHP that stays warm. */
function cpuSeconds(): number {
  return descendants(process.pid)
    .slice(1)
    .reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
}

async function giveContent(folder: string, siteId: string): Promise<void> {
  const sandbox = await Sandbox.find();
  if (!(sandbox instanceof Sandbox) || sandbox.mode !== 'uids') return;
  const uid = sandbox.uidOf(siteId);
  for (const path of ['', ...(readdirSync(folder, { recursive: true }) as string[])])
    chownSync(join(folder, path), uid, uid);
}
