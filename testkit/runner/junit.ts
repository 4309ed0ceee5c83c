import { writeFileSync } from 'node:fs';
import type { TestResult } from './messages.ts';

export interface FileReport {
  file: string;
  durationMs: number;
  results: TestResult[];
}

/** Writes the results as JUnit XML, which every CI system reads. */
export function writeJunit(path: string, reports: readonly FileReport[]): void {
  const suites = reports.map(({ file, durationMs, results }) => {
    const failed = results.filter(({ outcome }) => outcome === 'failed').length;
    const skipped = results.filter(({ outcome }) => outcome === 'skipped').length;
    const counts = `tests="${results.length}" failures="${failed}" skipped="${skipped}" time="${seconds(durationMs)}"`;
    return `  <testsuite name="${escapeXml(file)}" ${counts}>\n${results.map((result) => testCase(file, result)).join('')}  </testsuite>\n`;
  });
  writeFileSync(path, `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`);
}

function testCase(file: string, { path, outcome, durationMs, reason = '' }: TestResult): string {
  const head = `    <testcase classname="${escapeXml(file)}" name="${escapeXml(path.join(' > '))}" time="${seconds(durationMs)}"`;
  if (outcome === 'passed') return `${head}/>\n`;
  const inner =
    outcome === 'skipped'
      ? `<skipped message="${escapeXml(reason)}"/>`
      : `<failure message="${escapeXml(reason.split('\n')[0] ?? '')}">${escapeXml(reason)}</failure>`;
  return `${head}>${inner}</testcase>\n`;
}

const seconds = (ms: number) => (ms / 1000).toFixed(3);
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters have no place in XML 1.0. */
function escapeXml(text: string): string {
  return text.replaceAll(/[^\P{Cc}\t\n\r]/gu, '?').replaceAll(/[&<>"]/g, (each) => ENTITIES[each] as string);
}
