import assert from 'node:assert/strict';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SharedCuts } from './shared-cuts.ts';

const SIZE = 300 * 1024 * 1024;

test('a site that is made from a template with holes has holes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shared-cuts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cuts = new SharedCuts(join(folder, 'cuts'), async (_cut, { content, database }) => {
    mkdirSync(join(content, 'uploads'), { recursive: true });
    const file = openSync(join(content, 'uploads/empty.bin'), 'w');
    ftruncateSync(file, SIZE);
    closeSync(file);
    writeFileSync(join(content, 'index.php'), '<?php');
    writeFileSync(database.file, 'database');
  });
  const content = join(folder, 'site');
  const cut = { space: 'ada', site: 'template', moment: { hash: 'a'.repeat(64), timeMs: 1 } };
  await cuts.fill(cut, { content, database: { kind: 'sqlite', file: join(folder, 'site.sqlite') } });
  const { size, blocks } = statSync(join(content, 'uploads/empty.bin'));
  assert.equal(size, SIZE);
  assert.ok(blocks * 512 < 1024 * 1024, `${blocks * 512} bytes`);
  assert.equal(readFileSync(join(content, 'index.php'), 'utf8'), '<?php');
});
