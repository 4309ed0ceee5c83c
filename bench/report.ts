import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';

/** What a benchmark found. The same text goes to the terminal and into docs/benchmarks.md. */
export interface Report {
  /** Such as bench/api; the section's title in the document. */
  name: string;
  intro: string;
  tables: Table[];
  goals: Goal[];
}

export interface Table {
  head: string[];
  rows: string[][];
}

export interface Goal {
  text: string;
  met: boolean;
}

const DOCUMENT = join(import.meta.dirname, '../docs/benchmarks.md');

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  return `${model}, ${availableParallelism()} cores, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
}

export function render(report: Report): string {
  const goals = report.goals.map(({ text, met }) => `- ${met ? 'met' : '**missed**'}: ${text}`);
  return [
    `## ${report.name}`,
    `${report.intro} Measured on ${describeMachine()}.`,
    ...report.tables.map(renderTable),
    goals.join('\n'),
  ].join('\n\n');
}

function renderTable({ head, rows }: Table): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Replaces the section of this benchmark, or adds it at the end; the other ones stay as they are. */
export function store(report: Report): void {
  const kept = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '# Benchmarks\n';
  const sections = kept.trimEnd().split(/\n+(?=## )/);
  const index = sections.findIndex((section) => section.split('\n')[0] === `## ${report.name}`);
  sections.splice(index < 0 ? sections.length : index, 1, render(report));
  mkdirSync(dirname(DOCUMENT), { recursive: true });
  writeFileSync(DOCUMENT, `${sections.join('\n\n')}\n`);
}
