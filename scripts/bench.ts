import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'vite';
import { type Report, render, store } from '../bench/report.ts';
import { programsConfig } from './programs.vite.ts';

/**
 * Runs the benchmarks, all of them or those named as arguments (`node scripts/bench.ts api`), and prints what they
 * found. With --write the figures are stored in docs/benchmarks.md too. Fails when a goal is missed.
 */
const folder = join(import.meta.dirname, '../bench');
const known = globSync('*.bench.ts', { cwd: folder })
  .map((file) => basename(file, '.bench.ts'))
  .sort();
const wanted = process.argv.slice(2).filter((arg) => arg !== '--write');
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  process.exit(1);
}

// As the service starts them: reading TypeScript is most of what the start of a small program costs (src/core/program.ts).
const programs = join(import.meta.dirname, '../node_modules/.cache/bench-programs');
await build({ ...programsConfig(programs), configFile: false, logLevel: 'warn' });
process.env.SITEYARD_PROGRAMS = programs;

for (const name of wanted.length > 0 ? wanted : known) {
  const { run } = (await import(join(folder, `${name}.bench.ts`))) as { run: () => Promise<Report> };
  const report = await run();
  console.log(`\n${render(report)}\n`);
  if (process.argv.includes('--write')) store(report);
  if (report.goals.some((goal) => !goal.met)) process.exitCode = 1;
}
