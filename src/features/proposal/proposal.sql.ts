import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { Proposal, ProposalResult } from './proposal.schema.ts';

export type ProposalRow = Omit<Proposal, 'input' | 'summary'> & {
  user_id: string;
  input_sealed: Buffer;
  confirmed_with: string | null;
  begun_at: Date | null;
};

export type NewProposalRow = Pick<
  ProposalRow,
  | 'user_id'
  | 'team_id'
  | 'operation'
  | 'input_sealed'
  | 'description'
  | 'preview'
  | 'source'
  | 'ticket_id'
  | 'reply_id'
  | 'expires_at'
>;

/** That an hour is over needs nobody to write it down. */
const COLUMNS = sql`id, user_id, team_id, operation, input_sealed, description, preview, result, source, ticket_id, reply_id,
  confirmed_with, begun_at, created_at, expires_at, decided_at,
  case when state = 'open' and expires_at <= now() then 'expired' else state end as state`;

export async function insertProposal(db: Db, row: NewProposalRow): Promise<ProposalRow> {
  const { rows } = await sql<ProposalRow>`
    insert into proposals (user_id, team_id, operation, input_sealed, description, preview, source, ticket_id, reply_id, expires_at)
    values (${row.user_id}, ${row.team_id}, ${row.operation}, ${row.input_sealed}, ${row.description},
      ${row.preview === null ? null : JSON.stringify(row.preview)}, ${row.source}, ${row.ticket_id}, ${row.reply_id}, ${row.expires_at})
    returning ${COLUMNS}`.execute(db);
  return rows[0] as ProposalRow;
}

export async function findProposal(db: Db, id: string): Promise<ProposalRow | undefined> {
  return (await sql<ProposalRow>`select ${COLUMNS} from proposals where id = ${id}`.execute(db)).rows[0];
}

/** Somebody's own; with a team, those of that team alone. */
export async function listProposals(
  db: Db,
  userId: string,
  teamId: string | null,
  paging: Paging,
): Promise<Listing<ProposalRow>> {
  const where = sql`user_id = ${userId} and (${teamId}::uuid is null or team_id = ${teamId})`;
  return listNewest<ProposalRow>(db, { table: 'proposals', where, columns: COLUMNS }, paging);
}

export async function proposalsOfReplies(db: Db, replyIds: readonly string[]): Promise<ProposalRow[]> {
  const { rows } = await sql<ProposalRow>`
    select ${COLUMNS} from proposals where reply_id = any(${replyIds}::uuid[]) order by created_at, id`.execute(db);
  return rows;
}

/** Of two at the same time one gets it; the other finds it decided. */
export async function decideProposal(
  db: Db,
  id: string,
  decision: { state: 'confirmed' | 'refused'; confirmedWith: string | null },
): Promise<ProposalRow | undefined> {
  const { rows } = await sql<ProposalRow>`
    update proposals set state = ${decision.state}, confirmed_with = ${decision.confirmedWith}, decided_at = now()
    where id = ${id} and state = 'open' and expires_at > now() returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** True where an attempt before this one came as far. */
export async function beginCall(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    update proposals set begun_at = now() where id = ${id} and begun_at is null returning id`.execute(db);
  return rows.length === 0;
}

export async function endProposal(
  db: Db,
  id: string,
  { state, result }: { state: 'confirmed' | 'failed'; result: ProposalResult },
): Promise<void> {
  await sql`update proposals set state = ${state}, result = ${JSON.stringify(result)}
    where id = ${id} and state = 'confirmed' and result is null`.execute(db);
}

/** Those in tickets are part of the thread and go with it. */
export async function deleteOldProposals(db: Db): Promise<void> {
  await sql`delete from proposals where ticket_id is null and created_at < now() - interval '30 days'`.execute(db);
}
