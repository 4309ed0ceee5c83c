import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SealedColumn, SealedMember } from './sealed-values.ts';

/** A sealed value and the place of its row, which is all that is needed to write it anew. */
export interface StaleValue {
  place: string;
  sealed: Buffer;
}

const BATCH = 200;

/** Values that are not sealed with the key of today, some at a time. `after` leaves out what could not be opened. */
export async function listStaleColumns(
  db: Db,
  { table, column }: SealedColumn,
  mark: Buffer,
  after: string,
): Promise<StaleValue[]> {
  const { rows } = await sql<StaleValue>`
    select ctid::text as place, ${sql.id(column)} as sealed from ${sql.table(table)}
    where substring(${sql.id(column)} from 1 for ${mark.length}) <> ${mark} and ctid > ${after}::tid
    order by ctid limit ${BATCH}`.execute(db);
  return rows;
}

/** Changes the value if it is still the one that was read; a row that moved meanwhile is found by the next look. */
export async function replaceColumn(
  db: Db,
  { table, column }: SealedColumn,
  { place, sealed }: StaleValue,
  renewed: Buffer,
): Promise<void> {
  await sql`update ${sql.table(table)} set ${sql.id(column)} = ${renewed}
    where ctid = ${place}::tid and ${sql.id(column)} = ${sealed}`.execute(db);
}

export async function listStaleMembers(
  db: Db,
  { table, column, path, encoding }: SealedMember,
  mark: Buffer,
  after: string,
): Promise<StaleValue[]> {
  const text = sql`(${sql.id(column)} #>> ${path}::text[])`;
  const bytes = encoding === 'hex' ? sql`decode(substring(${text} from 3), 'hex')` : sql`decode(${text}, 'base64')`;
  const { rows } = await sql<StaleValue>`
    select ctid::text as place, sealed from (
      select ctid, ${bytes} as sealed from ${sql.table(table)} where ${text} is not null and ctid > ${after}::tid
    ) found where substring(sealed from 1 for ${mark.length}) <> ${mark} order by ctid limit ${BATCH}`.execute(db);
  return rows;
}

export async function replaceMember(
  db: Db,
  { table, column, path, encoding }: SealedMember,
  { place, sealed }: StaleValue,
  renewed: Buffer,
): Promise<void> {
  const write = (value: Buffer) => (encoding === 'hex' ? `\\x${value.toString('hex')}` : value.toString('base64'));
  await sql`update ${sql.table(table)}
    set ${sql.id(column)} = jsonb_set(${sql.id(column)}, ${path}::text[], to_jsonb(${write(renewed)}::text))
    where ctid = ${place}::tid and ${sql.id(column)} #>> ${path}::text[] = ${write(sealed)}`.execute(db);
}
