import { sql } from 'kysely';
import type { Caller } from '#core/auth/caller.ts';
import { isAmong } from '#core/auth/limited.ts';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { Proposal, ProposalResult } from './proposal.schema.ts';

/** What lists need of a proposal. Of an answer that is the refusal alone. */
export type ListedRow = Omit<Proposal, 'input' | 'summary' | 'preview' | 'result'> & { result: ProposalResult | null };

export type ProposalRow = ListedRow &
  Pick<Proposal, 'preview'> & {
    user_id: string;
    site_id: string | null;
    is_bound: boolean;
    input_sealed: Buffer;
    confirmed_with: string | null;
  };

export type NewProposalRow = Pick<
  ProposalRow,
  | 'user_id'
  | 'team_id'
  | 'site_id'
  | 'is_bound'
  | 'operation'
  | 'input_sealed'
  | 'description'
  | 'preview'
  | 'source'
  | 'ticket_id'
  | 'reply_id'
>;

/** That an hour is over needs nobody to write it down. */
const COMMON = sql`id, team_id, site_id, operation, description, source, ticket_id, reply_id, created_at, expires_at, decided_at,
  case when state = 'open' and expires_at <= now() then 'expired' else state end as state`;
const COLUMNS = sql`${COMMON}, user_id, input_sealed, preview, result, confirmed_with, is_bound`;
const LISTED = sql`${COMMON}, case when result is not null then jsonb_build_object('status', result->'status',
  'operation_id', result->'operation_id', 'body', jsonb_build_object('detail',
    case when result->>'status' <> '200' then result->'body'->'detail' end)) end as result`;

/** Undefined where so many are open already. */
export async function insertProposal(db: Db, row: NewProposalRow, most: number): Promise<ProposalRow | undefined> {
  const { rows } = await sql<ProposalRow>`
    insert into proposals (user_id, team_id, site_id, is_bound, operation, input_sealed, description, preview, source, ticket_id, reply_id, expires_at)
    select ${row.user_id}, ${row.team_id}, ${row.site_id}, ${row.is_bound}, ${row.operation}, ${row.input_sealed}, ${row.description},
      ${row.preview === null ? null : JSON.stringify(row.preview)}, ${row.source}, ${row.ticket_id}, ${row.reply_id}, now() + interval '1 hour'
    where (${OPEN_OF} ${row.user_id}) < ${most}
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

const OPEN_OF = sql`select count(*) from proposals where state = 'open' and expires_at > now() and user_id =`;

export async function countOpen(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`${OPEN_OF} ${userId}`.execute(db);
  return Number(rows[0]?.count);
}

export async function findProposal(db: Db, id: string): Promise<ProposalRow | undefined> {
  return (await sql<ProposalRow>`select ${COLUMNS} from proposals where id = ${id}`.execute(db)).rows[0];
}

/** Somebody's own, of teams that they (and this credential) still reach, and those that are no team's where `withoutTeam`. */
export async function listProposals(
  db: Db,
  {
    userId,
    teamIds,
    sites,
    withoutTeam,
  }: { userId: string; teamIds: string[]; sites: Caller['siteRoles']; withoutTeam: boolean },
  paging: Paging,
): Promise<Listing<ListedRow>> {
  const where = sql`user_id = ${userId} and (team_id = any(${teamIds}::uuid[]) or ${isAmong(sites, sql`site_id`)} or (${withoutTeam} and team_id is null))`;
  return listNewest<ListedRow>(db, { table: 'proposals', where, columns: LISTED }, paging);
}

export async function proposalsOfReplies(db: Db, replyIds: readonly string[]): Promise<ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    select ${LISTED} from proposals where reply_id = any(${replyIds}::uuid[]) order by created_at, id`.execute(db);
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
