import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { Input } from '#core/http/invoke.ts';
import { rehearse } from '#core/http/invoke.ts';
import type { Operation } from '#core/http/operation.ts';
import { maskSecrets } from '#core/mask-secrets.ts';
import type { Services } from '#core/services.ts';
import { cannotPropose, type Proposal } from './proposal.schema.ts';
import { insertProposal, type NewProposalRow, type ProposalRow, proposalsOfReplies } from './proposal.sql.ts';
import { describeCall } from './proposal.words.ts';

/**
 * A proposal is a call that would change something and waits for whoever asked for it. Only they confirm it, once, within an
 * hour and with a credential that may write; it is then made in their name, with the rights that they have by then.
 */
export { Proposal } from './proposal.schema.ts';

const OPEN_MS = 3_600_000;

/** What an operation is called with, as the SDK has it. */
export type CallInput = Pick<Input, 'params' | 'query' | 'body'>;

/** Where a proposal comes from. */
export type Origin = { source: 'api' | 'mcp' } | { source: 'ticket'; ticketId: string; replyId: string };

export interface Wish {
  operation: string;
  input: CallInput;
  /** What the call may reach, where that is one team's things alone. */
  teamId?: string | undefined;
  ip: string;
  signal?: AbortSignal;
}

/** A proposal that nobody has stored yet. */
export type Draft = Pick<
  NewProposalRow,
  'user_id' | 'team_id' | 'operation' | 'input_sealed' | 'description' | 'preview'
>;

/** Throws `cannotPropose` where the call would be refused as things are: who may not do it is not asked to confirm it. */
export async function propose(services: Services, caller: Caller, wish: Wish, origin: Origin): Promise<Proposal> {
  return storeProposal(services.db, services, await draftProposal(services, caller, wish), origin);
}

/** The first half of it: looks at the call, and finds out what it would do. May take some seconds, and changes nothing. */
export async function draftProposal(services: Services, caller: Caller, wish: Wish): Promise<Draft> {
  const operation = requireProposable(services, wish.operation);
  const { input, ip } = wish;
  const given = { ...input, ip, ...(wish.teamId !== undefined && { within: { teamId: wish.teamId } }) };
  const seen = await rehearse(services, operation, caller, given);
  if (!('subject' in seen)) throw cannotPropose({ message: refusalOf(seen.body) });
  const teamId = wish.teamId ?? teamOf(seen.subject) ?? caller.credential.teamId;
  const { description, preview } = await describeCall(services, caller, operation, { ...given, ...wish });
  const input_sealed = services.secrets.seal(Buffer.from(JSON.stringify(input)));
  return { user_id: caller.userId, team_id: teamId, operation: operation.id, input_sealed, description, preview };
}

export async function storeProposal(db: Db, services: Services, draft: Draft, origin: Origin): Promise<Proposal> {
  const of = origin.source === 'ticket' ? origin : { ticketId: null, replyId: null };
  const row = await insertProposal(db, {
    ...draft,
    source: origin.source,
    ticket_id: of.ticketId,
    reply_id: of.replyId,
    expires_at: new Date(Date.now() + OPEN_MS),
  });
  return viewProposal(services, row);
}

/** Those that answers in tickets came with, as whoever reads the thread sees them. */
export async function listProposalsOfReplies(
  db: Db,
  services: Services,
  replyIds: readonly string[],
): Promise<Proposal[]> {
  if (replyIds.length === 0) return [];
  return (await proposalsOfReplies(db, replyIds)).map((row) => viewProposal(services, row));
}

/** Only what the assistant may be asked for, and what answers with data: a file or a stream can not wait for anybody. */
export function requireProposable({ operations }: Services, id: string): Operation {
  const operation = operations.get(id);
  if (!operation?.assistant || !operation.handle) throw cannotPropose({ message: `"${id}" is nothing to propose.` });
  if (operation.method === 'GET') throw cannotPropose({ message: `${id} changes nothing: call it.` });
  return operation;
}

export function viewProposal({ operations, secrets }: Services, row: ProposalRow): Proposal {
  const { input_sealed, user_id: _user, confirmed_with: _with, begun_at: _begun, ...rest } = row;
  const input = maskSecrets(openInput(secrets, input_sealed)) as Record<string, unknown>;
  return { ...rest, input, summary: operations.get(row.operation)?.summary ?? row.operation };
}

export function openInput(secrets: Services['secrets'], sealed: Buffer): CallInput {
  return JSON.parse(secrets.open(sealed).toString('utf8'));
}

/** What a policy looks up is a team, or something that a team has. */
function teamOf(subject: unknown): string | null {
  if (typeof subject === 'object' && subject !== null && 'team_id' in subject) return subject.team_id as string | null;
  return typeof subject === 'string' ? subject : null;
}

/** The sentence of a refusal, or what is wrong with each field. */
export function refusalOf(body: unknown): string {
  const { detail } = body as { detail?: string | { loc: (string | number)[]; msg: string }[] };
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
  return detail ?? 'The call was refused.';
}
