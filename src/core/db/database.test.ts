import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase } from '#testkit/app/test-app.ts';
import { openDatabase } from './database.ts';

test('a server in a zone with daylight saving reckons a day as 24 hours, as we do', async () => {
  const database = await createTestDatabase({ empty: true });
  const open = () => openDatabase(database.url, 1, () => {});
  try {
    const first = open();
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(first.db);
    await sql`alter database ${sql.id(rows[0]?.name ?? '')} set timezone = 'America/New_York'`.execute(first.db);
    await first.close();
    const { db, close } = open();
    const later = await sql<{ is: Date }>`select timestamptz '2026-10-31T12:00:00Z' + interval '1 day' as is`.execute(
      db,
    );
    assert.equal(later.rows[0]?.is.toISOString(), '2026-11-01T12:00:00.000Z');
    await close();
  } finally {
    await database.drop();
  }
});
