import { findBackupByHash, snapshotNameOf, viewpointOf } from '#features/backup/backup.ts';
import type { Change } from './diagnosis.schema.ts';
import { read, type Subject } from './look.site.ts';
import { NothingToSee } from './look.ts';

/** A backup that holds other files than the one before it, and what is different by the plugin or theme. */
export interface FileChange {
  /** The backup that shows it for the first time, and the one before. */
  at: Date;
  before: Date;
  parts: ChangedPart[];
}

export interface ChangedPart {
  kind: Exclude<Change['kind'], 'event'>;
  /** Its folder. */
  name: string | null;
  files: number;
  /** Nothing of it was there before. */
  isNew: boolean;
}

const LISTED_BACKUPS = 60;
/** Each comparison reads two trees; the newest changes are those that matter. */
const COMPARED = 4;
const LISTED_FILES = 300;

interface Backup {
  commit_hash: string;
  created_at: string;
  files_added: number;
  files_changed: number;
  files_removed: number;
}

export interface Changes {
  /** Newest first. */
  files: FileChange[];
  newestBackup: Date | null;
}

export async function lookAtChanges(subject: Subject): Promise<{ text: string; found: Changes }> {
  const { fqdn } = subject.site;
  const backups = await read<Backup[]>(subject, 'getBackups', { fqdn }, { number_to_fetch: LISTED_BACKUPS });
  const newest = backups[0];
  if (!newest) throw new NothingToSee('There is no backup of the site yet.');
  const pairs = backups
    .map((backup, at) => ({ backup, before: backups[at + 1] }))
    .filter(({ backup }) => backup.files_added + backup.files_changed + backup.files_removed > 0)
    .filter((pair): pair is { backup: Backup; before: Backup } => pair.before !== undefined)
    .slice(0, COMPARED);
  const files: FileChange[] = [];
  for (const { backup, before } of pairs) {
    subject.signal?.throwIfAborted();
    files.push(await compare(subject, backup, before));
  }
  const newestBackup = new Date(newest.created_at);
  const text =
    files.length === 0
      ? 'No file changed in the newest backups.'
      : `Files changed in ${files.length} of the newest backups.`;
  return { text, found: { files, newestBackup } };
}

async function compare({ services, site }: Subject, backup: Backup, before: Backup): Promise<FileChange> {
  const { db, hosts } = services;
  const [now, point] = await Promise.all([
    findBackupByHash(db, site.id, backup.commit_hash),
    findBackupByHash(db, site.id, before.commit_hash),
  ]);
  if (!now || !point) throw new NothingToSee('A backup went away meanwhile.');
  // As a restore would see it: what it would delete is new, what it would add is gone.
  const wish = { point: snapshotNameOf(point), files: true, tables: false, deleteExtraFiles: true };
  const window = { offset: 0, limit: LISTED_FILES };
  const { list } = await hosts.compare(site, await viewpointOf(db, site), snapshotNameOf(now), wish, window);
  return { at: now.created_at, before: point.created_at, parts: partsOf(list.files) };
}

function partsOf(files: readonly { path: string; change: string }[]): ChangedPart[] {
  const parts = new Map<string, ChangedPart>();
  for (const { path, change } of files) {
    const { kind, name } = partOf(path);
    const key = `${kind} ${name}`;
    const part = parts.get(key) ?? { kind, name, files: 0, isNew: true };
    parts.set(key, { ...part, files: part.files + 1, isNew: part.isNew && change === 'deleted' });
  }
  return [...parts.values()];
}

const PARTS: readonly [RegExp, ChangedPart['kind']][] = [
  [/^mu-plugins\/([^/]+)/, 'must-use plugin'],
  [/^plugins\/([^/]+)/, 'plugin'],
  [/^themes\/([^/]+)/, 'theme'],
];

/** Which plugin or theme a file below wp-content belongs to. Its name is the site's own word. */
export function partOf(path: string): Pick<ChangedPart, 'kind' | 'name'> {
  for (const [pattern, kind] of PARTS) {
    const name = pattern.exec(path)?.[1]?.replace(/\.php$/, '');
    if (name !== undefined) return { kind, name: name.replaceAll(/[^\w.-]/g, '?').slice(0, 80) };
  }
  return { kind: 'other', name: null };
}

interface Happened {
  created_at: string;
  activity: string;
}

const SHOWN_EVENTS = 8;

export async function lookAtTimeline(subject: Subject): Promise<{ text: string; found: Change[] }> {
  const { fqdn } = subject.site;
  const { results } = await read<{ results: Happened[] }>(subject, 'listSiteEvents', { fqdn }, { size: SHOWN_EVENTS });
  const found = results.map(({ created_at, activity }) => ({
    at: new Date(created_at),
    kind: 'event' as const,
    name: null,
    text: activity,
  }));
  return { text: found[0] ? `Last: ${found[0].text}` : 'Nothing happened yet.', found };
}
