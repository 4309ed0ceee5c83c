import { constants } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import type { ChosenTheme } from '#runtimes/wordpress/adapt.ts';
import { SqliteFile } from './sqlite-file.ts';

/** The columns of the tables in the database of a new site, both in lower case. It is a copy of ours, so this process may open it. */
export async function knownColumns(file: string): Promise<Map<string, Set<string>>> {
  const database = new SqliteFile(file);
  try {
    const known = new Map<string, Set<string>>();
    for (const table of await database.tables()) {
      const columns = await database.query('select name from pragma_table_info(?)', table);
      known.set(table.toLowerCase(), new Set(columns.map(({ name }) => String(name).toLowerCase())));
    }
    return known;
  } finally {
    database.close();
  }
}

/** Moves what was unpacked into the content of a new site, in place of what is there under the same name. */
export async function takeContent(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    await rm(join(to, name), { recursive: true, force: true });
    await rename(join(from, name), join(to, name));
  }
}

const MAX_HEADER_BYTES = 8192;
const FOLDER_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** A theme in one of the folders, with the one that its stylesheet says it builds upon. */
export async function findTheme(name: string, folders: readonly string[]): Promise<ChosenTheme> {
  for (const folder of FOLDER_NAME.test(name) ? folders : []) {
    const header = await readStart(join(folder, name, 'style.css'));
    if (header === undefined) continue;
    const parent = /^[ \t/*#@]*Template:[ \t]*(\S+)/im.exec(header)?.[1];
    return { stylesheet: name, template: parent && FOLDER_NAME.test(parent) ? parent : name };
  }
  throw new ArchiveRefused(`there is no theme ${name.slice(0, 100)} in it`);
}

async function readStart(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
