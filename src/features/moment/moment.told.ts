/** One thing that happened to a site, in words. */
export const TOLD_KINDS = [
  'core',
  'plugin',
  'theme',
  'content',
  'order',
  'user',
  'comment',
  'media',
  'setting',
  'file',
] as const;
export type ToldKind = (typeof TOLD_KINDS)[number];

export interface Told {
  kind: ToldKind;
  change: 'added' | 'changed' | 'removed';
  /** A sentence. */
  text: string;
  /** What it is about, without what became of it: "3 comments". */
  what: string;
  count: number;
}

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A site's names are its own, and may try to look like something else. */
export const plain = (name: string) => name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim();
export const quoted = (name: string) => `“${plain(name)}”`;
