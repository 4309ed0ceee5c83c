import { nounOf } from '#runtimes/wordpress/change-words.ts';
import type { ToldChanges, ToldFolder, ToldRows } from '#timemachine/process/tell-rules.ts';
import { tellOptions } from './moment.options.ts';
import { capitalised, plain, quoted, TOLD_KINDS, type Told, type ToldKind } from './moment.told.ts';

/**
 * The changes of a site as somebody would tell them who knows WordPress: "Post “Fresh rye” published", "WooCommerce updated to 9.1". The weightiest first. Nothing where nothing happened that people would tell of.
 */
export function wordsOfChanges(changes: ToldChanges, prefix: string): Told[] {
  const tables = (name: string) => changes.rows.filter(({ table }) => table === `${prefix}${name}`);
  const told = [
    ...changes.folders.flatMap((folder) => tellFolder(folder, changes, prefix)),
    ...changes.rows.flatMap((rows) => tellRows(rows, prefix)),
    ...tellOptions(tables('options'), changes),
  ];
  if (told.length === 0) told.push(...tables('postmeta').map(tellFields));
  // Kinds of posts and names of folders are the site's own words, too.
  const shown = told.map((each) => ({ ...each, text: plain(each.text), what: plain(each.what) }));
  return shown.sort((a, b) => TOLD_KINDS.indexOf(a.kind) - TOLD_KINDS.indexOf(b.kind));
}

const changeOf = ({ before, after }: Pick<ToldRows, 'before' | 'after'>): Told['change'] =>
  before ? (after ? 'changed' : 'removed') : 'added';

const KINDS: Record<string, ToldKind> = { posts: 'content', terms: 'content', comments: 'comment', users: 'user' };

function tellRows(rows: ToldRows, prefix: string): Told[] {
  const { before, after, count, titles } = rows;
  const name = rows.table.slice(prefix.length);
  const facts = after ?? before ?? {};
  const isOrder = name === 'wc_orders' || (facts.post_type ?? '').startsWith('shop_order');
  const kind = isOrder ? 'order' : facts.post_type === 'attachment' ? 'media' : KINDS[name];
  const noun = nounOf({ table: rows.table, folder: null, kind: facts.post_type ?? facts.comment_type ?? null }, prefix);
  if (!kind || !noun) return [];
  const title = kind === 'comment' || isOrder ? undefined : titles[0];
  const what = count === 1 ? `${noun[0]}${title ? ` ${quoted(title)}` : ''}` : `${count} ${noun[1]}`;
  const change = changeOf(rows);
  // Comments go to the trash and come back with their post, which is told.
  if (change === 'changed' && [before, after].some((facts) => facts?.comment_approved === 'post-trashed')) return [];
  const verb = verbOf(kind, change, before, after);
  const subject = count === 1 && !title ? `1 ${noun[0]}` : what;
  return [{ kind, change, count, what: subject, text: `${capitalised(subject)} ${verb}` }];
}

type Facts = ToldRows['before'];

function verbOf(kind: ToldKind, change: Told['change'], before: Facts, after: Facts): string {
  if (change === 'removed') return 'deleted';
  const [was, is] = [before?.post_status ?? before?.comment_approved, after?.post_status ?? after?.comment_approved];
  if (was !== is && is === 'trash') return 'moved to the trash';
  if (was === 'trash' && is !== 'trash') return 'taken out of the trash';
  if (kind === 'comment') return change === 'added' ? 'came' : was !== is && is === '1' ? 'approved' : 'edited';
  if (kind === 'order') return change === 'added' ? 'came' : 'updated';
  if (kind === 'media') return change === 'added' ? 'uploaded' : 'updated';
  if (kind === 'user') return change === 'added' ? 'added' : 'changed';
  if (was !== is && is === 'publish') return 'published';
  if (was !== is && is === 'future') return 'scheduled';
  if (change === 'added') return is === 'draft' || is === 'pending' ? 'drafted' : 'added';
  return was === 'publish' && is === 'draft' ? 'unpublished' : 'updated';
}

const tellFields = (rows: ToldRows): Told => {
  const what = rows.count === 1 ? '1 field of a post' : `${rows.count} fields of posts`;
  return { kind: 'content', change: 'changed', count: rows.count, what, text: `${what} changed` };
};

function tellFolder(found: ToldFolder, changes: ToldChanges, prefix: string): Told[] {
  const { folder, before, after, added, changed, removed } = found;
  const count = added + changed + removed;
  const [, type] = /^(plugin|theme)s\//.exec(folder) ?? [];
  if (type) return [tellPart(found, type as 'plugin' | 'theme', before ?? {}, after ?? {})];
  const hasMedia = changes.rows.some(
    ({ table, ...rows }) => table === `${prefix}posts` && (rows.after ?? rows.before)?.post_type === 'attachment',
  );
  if (folder === 'uploads' && hasMedia) return [];
  const change = count === added ? 'added' : count === removed ? 'removed' : 'changed';
  const verb = { added: 'added', changed: 'changed', removed: 'deleted' }[change];
  if (folder === 'languages')
    return [{ kind: 'file', change, count, what: 'translations', text: 'Translations updated' }];
  const [one, many] = nounOf({ table: null, folder, kind: null }, prefix) ?? ['file', 'files'];
  const what = count === 1 ? one : `${count} ${many}`;
  return [{ kind: folder === 'uploads' ? 'media' : 'file', change, count, what, text: `${capitalised(what)} ${verb}` }];
}

function tellPart(found: ToldFolder, kind: 'plugin' | 'theme', before: ToldNames, after: ToldNames): Told {
  const field = kind === 'plugin' ? 'Plugin Name' : 'Theme Name';
  const name = plain(after[field] ?? before[field] ?? found.folder.replace(/^[^/]+\//, ''));
  const [was, is] = [before.Version, after.Version];
  const of = kind === 'plugin' ? name : `Theme ${name}`;
  const tell = (change: Told['change'], text: string, what = of): Told => ({ kind, change, text, what, count: 1 });
  if (!before[field] && after[field] && found.changed === 0)
    return tell('added', `${of}${is ? ` ${plain(is)}` : ''} installed`);
  if (before[field] && !after[field]) return tell('removed', `${of} deleted`);
  if (was !== undefined && is !== undefined && was !== is)
    return tell('changed', `${of} ${isNewer(is, was) ? 'updated' : 'went back'} to ${plain(is)}`);
  return tell('changed', `Files of ${kind === 'plugin' ? `the plugin ${name}` : `the theme ${name}`} changed`);
}

type ToldNames = Record<string, string>;

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) >= 0;
}
