import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder for one test, gone when it ends. */
export function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'timemachine-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
