import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chown, cp, lstat, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { requestSite, type SiteAnswer } from '#runtimes/request.ts';
import type { FirstContent, Runtime, SiteSpec, SiteStorage } from '#runtimes/runtime.ts';
import { Archiver } from '#timemachine/archive/archiver.ts';
import { fillDatabase } from '#timemachine/process/copy-site.ts';
import { Repository } from '#timemachine/repository.ts';
import { databaseOf } from '#timemachine/sources/open-database.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';
import type { Step } from '../drivers/memory/steps.ts';

/** A driver in a contract suite. What its sites do beside answering, it puts into them: what that looks like is its own matter. */
export interface DriverUnderTest {
  runtime: Runtime;
  /** Puts a program into a site that takes these steps and says what they say; resolves with its path. */
  put(site: SiteSpec, name: string, steps: readonly Step[]): Promise<string>;
  close(): Promise<void>;
}

/** What the contract suites do with sites. */
export async function createSite(runtime: Runtime, host: string): Promise<SiteSpec> {
  const site = newSpec(await runtime.prepared(), host);
  await runtime.create(site, firstContent(`${host} & sons`));
  return site;
}

export function newSpec(
  { coreVersion, phpVersion }: { coreVersion: string; phpVersion: string },
  host: string,
): SiteSpec {
  const id = randomUUID();
  return {
    id,
    team: 'team',
    url: `http://${host}:8080`,
    coreVersion,
    phpVersion,
    accessKey: `key of ${id}`,
    saltKey: `salt of ${id}`,
    isCopy: false,
    isOffline: false,
    isDebugging: false,
  };
}

/** Makes `copy` of what the site has at this moment. */
export async function copySite(runtime: Runtime, site: SiteSpec, copy: SiteSpec): Promise<void> {
  await runtime.adopt(copy, (storage) => copyStorage(runtime.storage(site.id), storage));
}

/** What the time machine would do, for a site that nobody writes to. */
export async function copyStorage(from: SiteStorage, to: SiteStorage): Promise<void> {
  await cp(from.content, to.content, {
    recursive: true,
    // A link could lead anywhere on this machine.
    filter: async (path) => !(await lstat(path)).isSymbolicLink(),
  });
  if (from.database.kind !== 'sqlite' || to.database.kind !== 'sqlite') return copyTables(from, to);
  const database = new DatabaseSync(from.database.file, { readOnly: true });
  await backup(database, to.database.file).finally(() => database.close());
  // Whoever copies need not make it the copy's own.
  const { uid, gid } = await stat(from.database.file);
  if (process.getuid?.() === 0) await chown(to.database.file, uid, gid);
}

/** By a store that is thrown away, which also knows what to do where the two are of different kinds. */
async function copyTables(from: SiteStorage, to: SiteStorage): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'copied-'));
  const source = databaseOf(from.database).source(() => true);
  try {
    const repository = new Repository(new DiskStore(folder)).site('team', 'site');
    const { snapshot } = await new Archiver({ repository, tables: source }).snapshot();
    await fillDatabase(repository, snapshot, databaseOf(to.database), () => {});
  } finally {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export function firstContent(title: string): FirstContent {
  const admin = {
    username: 'ada',
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    passwordHash: '!',
  };
  return { title, admin };
}

export function wp(...args: string[]) {
  return { args: ['wp', ...args] as [string, ...string[]], timeoutMs: 60_000, maxOutputBytes: 100_000 };
}

/** The command that runs what was put there. */
export function program(path: string) {
  return { ...wp(), args: ['php', `.${path}`] as [string, string] };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a site tells by itself comes a moment after its answer. */
export async function until(condition: () => boolean, timeoutMs = 120_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !condition(); ) {
    assert.ok(Date.now() < end, 'it did not happen in time');
    await new Promise((wait) => setTimeout(wait, 20));
  }
}

export async function request(
  runtime: Runtime,
  site: SiteSpec,
  {
    method = 'GET',
    path,
    headers = {},
    body = '',
    timeoutMs = 240_000,
  }: { method?: string; path: string; headers?: Record<string, string>; body?: string; timeoutMs?: number },
): Promise<SiteAnswer & { text: string }> {
  const answer = await requestSite(runtime, site, { method, path, headers, body, timeoutMs });
  return { ...answer, text: answer.body.toString() };
}

/** Puts a PHP file where a plugin's would be, and tells its path. */
export async function putProbe(runtime: Runtime, site: SiteSpec, name: string, code: string): Promise<string> {
  await putFile(runtime, site, `plugins/probe/${name}`, `<?php\n${code}`);
  return `/wp-content/plugins/probe/${name}`;
}

/** Puts a file into a site's content, where the site itself can change it and the folders around it. */
export async function putFile(
  runtime: Runtime,
  site: Pick<SiteSpec, 'id'>,
  path: string,
  content: string | Uint8Array,
): Promise<string> {
  const root = runtime.contentFolder(site.id);
  const { uid, gid } = await stat(root);
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  if (process.getuid?.() === 0) for (let each = file; each !== root; each = dirname(each)) await chown(each, uid, gid);
  return file;
}
