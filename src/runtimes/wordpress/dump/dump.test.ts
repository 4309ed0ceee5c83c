import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import { dumpOf } from '#testkit/archives/dump.ts';
import { hostileDumps } from '#testkit/archives/hostile-dumps.ts';
import { loadDump, readDumpTables } from './load-dump.ts';
import { type Table, writeTable } from './table.ts';

async function* pieces(text: string | Buffer, length = 64 * 1024): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Without the one text that latin1 can not say. */
const latin1 = (text: string) => Buffer.from(text.replace(/It[^,]*,'yes'/, "x','yes'"), 'latin1');

suite('a dump is taken apart', () => {
  const phpMyAdmin = `
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";
/*!40101 SET NAMES latin1 */;
CREATE TABLE \`wp_shop\` (
  \`id\` int(11) NOT NULL,
  \`price\` decimal(10,2) DEFAULT 0.00 COMMENT 'it''s; a price',
  \`kind\` enum('a','b\\'c') NOT NULL DEFAULT 'a',
  \`raw\` blob,
  \`at\` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  \`data\` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(\`data\`))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4; # done
INSERT INTO \`wp_shop\` (\`id\`, \`price\`, \`kind\`, \`raw\`, \`at\`, \`data\`) VALUES
(1, -1.50, 'a', 0x00ff10, '2024-01-01 00:00:00', 'caf\xe9'),
(2, '2', 'b''c', _binary '\\0\\Z\xff', NULL, NULL);
ALTER TABLE \`wp_shop\`
  ADD PRIMARY KEY (\`id\`),
  ADD UNIQUE KEY \`kind\` (\`kind\`),
  ADD KEY \`at\` (\`at\`,\`data\`(20)),
  ADD CONSTRAINT \`fk\` FOREIGN KEY (\`id\`) REFERENCES \`wp_posts\` (\`ID\`) ON DELETE CASCADE;
ALTER TABLE \`wp_shop\`
  MODIFY \`id\` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=3;
COMMIT;
/*M!999999\\- enable the sandbox mode */
`;

  test('into statements of our own, whatever wrote it', async () => {
    const { tables } = await readDumpTables(pieces(latin1(dumpOf({ extra: phpMyAdmin })), 7)).catch((error) =>
      assert.fail(error),
    );
    assert.equal(
      writeTable(tables.get('wp_shop') as Table),
      `CREATE TABLE \`wp_shop\` (
\`id\` int(11) NOT NULL AUTO_INCREMENT,
\`price\` decimal(10, 2) DEFAULT 0.00,
\`kind\` enum('a', 'b''c') NOT NULL DEFAULT 'a',
\`raw\` blob,
\`at\` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
\`data\` longtext COLLATE utf8mb4_bin DEFAULT NULL,
PRIMARY KEY (\`id\`),
UNIQUE KEY \`kind\` (\`kind\`),
KEY \`at\` (\`at\`, \`data\`(20))
) DEFAULT CHARACTER SET utf8mb4`,
    );
  });

  test('into rows as they were: texts in their character set, bytes as bytes, the prefix as it is here', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'siteyard-dump-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'site.sqlite');
    const database = new DatabaseSync(file);
    t.after(() => database.close());
    const shop = phpMyAdmin.replaceAll('wp_shop', 'abc_shop');
    const dump = latin1(dumpOf({ prefix: 'abc_', extra: shop }));
    const { found, tables, rows } = await readDumpTables(pieces(dump));
    assert.equal(rows, 25);
    const types: Record<string, string> = { bigint: 'integer', int: 'integer', blob: 'blob', decimal: 'real' };
    for (const [key, name] of found.names) {
      const columns = tables.get(key)?.columns.map((column) => `"${column.name}" ${types[column.type] ?? 'text'}`);
      database.exec(`create table ${name} (${columns?.join()}) strict`);
    }
    await loadDump(pieces(dump, 1000), found, file);
    const all = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row));
    assert.deepEqual(all('select id, price, kind, hex(raw), at, data from wp_shop'), [
      [1, -1.5, 'a', '00FF10', '2024-01-01 00:00:00', 'café'],
      [2, 2, "b'c", '001AFF', null, null],
    ]);
    assert.deepEqual(all('select post_title from wp_posts'), [['A post; of seven']]);
    assert.equal(all("select 1 from wp_options where option_name = 'wp_user_roles'").length, 1);
    assert.deepEqual(all('select meta_key from wp_usermeta'), [['wp_capabilities'], ['session_tokens']]);
  });
});

suite('what is more than tables and rows is refused by its name, with its line', () => {
  for (const { name, sql, says } of hostileDumps()) {
    test(name, () =>
      assert.rejects(readDumpTables(pieces(sql, 1024 * 1024)), (error: Error) => {
        assert.ok(error instanceof ArchiveRefused, String(error.stack));
        assert.match(error.message, says);
        return true;
      }),
    );
  }

  test('a number with a million digits is none where a letter follows them', () => {
    const table = 'CREATE TABLE wp_x (a double)';
    const dump = `${dumpOf()}${table};\nINSERT INTO wp_x VALUES ('${'0'.repeat(1_000_000)}x');`;
    return assert.rejects(readDumpTables(pieces(dump)), /the value of a is no number/);
  });

  test('a default is no longer than a column', () => {
    const dump = `${dumpOf()}CREATE TABLE wp_x (a binary(255) DEFAULT 0x${'ff'.repeat(256)});`;
    return assert.rejects(readDumpTables(pieces(dump)), /a default of more than 255 bytes is not taken/);
  });

  test('the line is where it stands', () =>
    assert.rejects(readDumpTables(pieces("-- a\n\nSET time_zone = 'x;\n';\n/* b\n */ GRANT ALL")), /line 6: GRANT/));
});
