import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Services } from '#core/services.ts';
import { backUp } from '#features/backup-clock/cut.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import { hostIn } from './test-app.ts';

/**
 * Gives a site that is only a row the least on disk that the time machine can keep and bring back: one file and the table
 * that names its address. No WordPress runs on it. Its first backup is taken at once, and the clock leaves it alone.
 */
export async function makeTinySite(services: Services, siteId: string, url: string): Promise<SiteRow> {
  const { db, config } = services;
  const storage = hostIn(services).driver(config.newSites).storage(siteId);
  const [content, file] = [storage.content, sqliteFileOf(storage)];
  for (const folder of [content, dirname(file)]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(content, 'index.php'), '<?php // Silence is golden.');
  const sqlite = new DatabaseSync(file);
  // Nothing here has to survive a power cut.
  sqlite.exec('pragma synchronous = off');
  sqlite.exec('create table wp_options (option_id integer primary key, option_name text, option_value text)');
  const insert = sqlite.prepare('insert into wp_options (option_name, option_value) values (?, ?)');
  for (const name of ['siteurl', 'home']) insert.run(name, url);
  sqlite.close();
  const site = await db.selectFrom('sites').selectAll().where('id', '=', siteId).executeTakeFirstOrThrow();
  await db.insertInto('backup_clocks').values({ site_id: siteId, space: site.team_id, due_at: null }).execute();
  if (!(await backUp(services, siteId))) throw new Error('the tiny site could not be backed up');
  return site;
}
