import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backUp } from '#features/backup-clock/cut.ts';
import { findMoments } from '#features/moment/moment.find.ts';
import type { SqlValue } from '#runtimes/runtime.ts';
import type { TestApp } from './test-app.ts';

/** A site's files and tables, changed as its own PHP would, and its backups, taken now instead of within the minute. */
export function siteOnDisk(app: TestApp, siteId: string) {
  const { services } = app;
  const { content } = app.runtime.storage(siteId);
  const onDisk = {
    async write(path: string, text: string | Buffer): Promise<void> {
      await mkdir(dirname(join(content, path)), { recursive: true });
      await writeFile(join(content, path), text);
    },

    read: (path: string) => readFile(join(content, path), 'utf8'),

    /** The texts of the files in a folder whose names match, by what the pattern finds in the name. */
    async files(folder: string, pattern: RegExp): Promise<Map<string, string>> {
      const found = (await readdir(join(content, folder)))
        .map((name) => pattern.exec(name))
        .filter((match) => match !== null);
      const texts = found.map(
        async (match) => [match[1] ?? match[0], await readFile(join(content, folder, match.input), 'utf8')] as const,
      );
      return new Map(await Promise.all(texts));
    },

    remove: (path: string) => rm(join(content, path), { recursive: true }),

    async query(sql: string, ...values: SqlValue[]) {
      const database = await app.runtime.database(siteId);
      try {
        return await database.query(sql, ...values);
      } finally {
        database.close();
      }
    },

    setOption: (name: string, value: string) =>
      onDisk.query(
        "insert into wp_options (option_name, option_value, autoload) values (?, ?, 'on') on conflict (option_name) do update set option_value = excluded.option_value",
        name,
        value,
      ),

    async option(name: string): Promise<unknown> {
      const rows = await onDisk.query('select option_value from wp_options where option_name = ?', name);
      return rows[0]?.option_value ?? null;
    },

    /** Tells what happened to all sites until now, instead of within a minute. */
    tell: () => findMoments(services, Number.MAX_SAFE_INTEGER),

    /** The moment of the backup: restoring it brings this state back. */
    async keep(): Promise<string> {
      while (!(await backUp(services, siteId))) await sleep(20);
      const { created_at } = await services.db
        .selectFrom('backups')
        .select('created_at')
        .where('site_id', '=', siteId)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow();
      return created_at.toISOString();
    },
  };
  return onDisk;
}
