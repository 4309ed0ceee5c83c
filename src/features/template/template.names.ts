import type { Db } from '#core/db/database.ts';
import { withoutLastSlashes } from '#core/slashes.ts';
import { type NewTemplate, tooManyTemplates } from './template.schema.ts';
import { insertTemplate, type TemplateRow } from './template.sql.ts';

const MAX_SAME_NAME = 100;

/** The last part of the address: the repository's name, or that of the site. */
export function nameFrom({ url, fqdn }: NewTemplate): string {
  const path = withoutLastSlashes(url.trim().replace(/[?#].*$/, '')).replace(/\.git$/i, '');
  const last = /^https?:\/\/[^/]+$/i.test(path) && fqdn ? fqdn.replace(/\..*$/, '') : path.replace(/^.*[/:]/, '');
  const name = last
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name.slice(0, 60) || 'template';
}

export async function insertUnderFreeName(
  db: Db,
  name: string,
  row: Parameters<typeof insertTemplate>[2],
): Promise<TemplateRow> {
  for (let number = 1; number <= MAX_SAME_NAME; number++) {
    const inserted = await insertTemplate(db, number === 1 ? name : `${name}-${number}`, row);
    if (inserted) return inserted;
  }
  throw tooManyTemplates({ message: `There are ${MAX_SAME_NAME} templates of the name ${name} already.` });
}
