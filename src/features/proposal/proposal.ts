import { type Caller, seesSecrets } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { refusalOf } from '#core/http/answers.ts';
import type { Input } from '#core/http/invoke.ts';
import { rehearse } from '#core/http/invoke.ts';
import type { Operation } from '#core/http/operation.ts';
import { hideNamed, holdsNamed } from '#core/mask-secrets.ts';
import type { Services } from '#core/services.ts';
import { cannotPropose, type Proposal, type ProposalResult, type ProposalSummary } from './proposal.schema.ts';
import {
  countOpen,
  insertProposal,
  type ListedRow,
  type NewProposalRow,
  type ProposalRow,
  proposalsOfReplies,
} from './proposal.sql.ts';
import { describeCall } from './proposal.words.ts';

/**
 * A proposal is a call that would change something and waits for whoever asked for it. Only they confirm it, once, within an
 * hour and with a credential that may write; it is then made in their name, with the rights that they have by then.
 */
export { ProposalSummary } from './proposal.schema.ts';

/** Of one person. Whoever has so many to decide about decides about none. */
const MAX_OPEN = 50;
/** What is confirmed is shown whole, and more nobody reads. */
const MAX_INPUT = 64 * 1024;

/** What an operation is called with, as the SDK has it. */
export type CallInput = Pick<Input, 'params' | 'query' | 'body'>;

/** Where a proposal comes from. */
export type Origin = { source: 'api' | 'mcp' } | { source: 'ticket'; ticketId: string; replyId: string };

export interface Wish {
  operation: string;
  input: CallInput;
  source: Origin['source'];
  /** What the call may reach, where that is one team's things alone. */
  teamId?: string | undefined;
  ip: string;
  signal?: AbortSignal;
}

/** A proposal that nobody has stored yet. */
export type Draft = Pick<
  NewProposalRow,
  'user_id' | 'team_id' | 'site_id' | 'is_bound' | 'operation' | 'input_sealed' | 'description' | 'preview'
>;

/** Throws `cannotPropose` where the call would be refused as things are: who may not do it is not asked to confirm it. */
export async function propose(
  services: Services,
  caller: Caller,
  wish: Wish & { source: 'api' | 'mcp' },
): Promise<ProposalSummary> {
  const row = await storeProposal(services.db, await draftProposal(services, caller, wish), wish);
  return summarizeProposal(services, row);
}

/** The first half of it: looks at the call, and finds out what it would do. May take some seconds, and changes nothing. */
export async function draftProposal(services: Services, caller: Caller, wish: Wish): Promise<Draft> {
  const operation = requireProposable(services, wish.operation);
  const { input, ip } = wish;
  const text = JSON.stringify(input);
  if (text.length > MAX_INPUT) throw cannotPropose({ message: 'It is given more than a person would read: 64 kB.' });
  if (wish.source !== 'api') refuseChosenSecrets(operation, input);
  if ((await countOpen(services.db, caller.userId)) >= MAX_OPEN) throw tooManyOpen();
  const given = { ...input, ip, ...(wish.teamId !== undefined && { within: { teamId: wish.teamId } }) };
  const seen = await rehearse(services, operation, caller, given);
  if (!('subject' in seen)) throw cannotPropose({ message: refusalOf(seen.body) });
  const bound = wish.teamId ?? caller.credential.teamId;
  const is_bound = bound !== null;
  const { site_id, ...of } = matterOf(seen.subject);
  const team_id = bound ?? of.team_id;
  const { description, preview } = await describeCall(services, caller, operation, { ...given, ...wish });
  const input_sealed = services.secrets.seal(Buffer.from(text));
  return {
    user_id: caller.userId,
    team_id,
    site_id,
    is_bound,
    operation: operation.id,
    input_sealed,
    description,
    preview,
  };
}

/** A program that sets somebody's password knows it from then on. Where the call needs one, its asker is shown it. */
function refuseChosenSecrets({ id, body }: Operation, input: CallInput): void {
  const { required = [] } = (body ?? {}) as { required?: string[] };
  const chosen = Object.entries(input.body ?? {}).filter(([name]) => !required.includes(name));
  if (holdsNamed(Object.fromEntries(chosen)))
    throw cannotPropose({ message: `${id} with a password is not for a program to propose: set it yourself.` });
}

const tooManyOpen = () =>
  cannotPropose({ message: `There are ${MAX_OPEN} open proposals of yours: confirm or refuse some of them first.` });

/** Those of an answer in a ticket were counted when they were drafted: the answer is not lost for them. */
export async function storeProposal(db: Db, draft: Draft, origin: Origin): Promise<ProposalRow> {
  const of = origin.source === 'ticket' ? origin : { ticketId: null, replyId: null };
  const more = { source: origin.source, ticket_id: of.ticketId, reply_id: of.replyId };
  const most = origin.source === 'ticket' ? Number.MAX_SAFE_INTEGER : MAX_OPEN;
  const row = await insertProposal(db, { ...draft, ...more }, most);
  if (!row) throw tooManyOpen();
  return row;
}

/** Those that answers in tickets came with, as whoever reads the thread sees them. */
export async function listProposalsOfReplies(
  db: Db,
  services: Services,
  replyIds: readonly string[],
): Promise<ProposalSummary[]> {
  if (replyIds.length === 0) return [];
  return (await proposalsOfReplies(db, replyIds)).map((row) => summarizeProposal(services, row));
}

/** Only what the assistant may be asked for, and what answers with data: a file or a stream can not wait for anybody. */
export function requireProposable({ operations }: Services, id: string): Operation {
  const operation = operations.get(id);
  if (!operation?.assistant || !operation.handle) throw cannotPropose({ message: `"${id}" is nothing to propose.` });
  if (operation.method === 'GET') throw cannotPropose({ message: `${id} changes nothing: call it.` });
  return operation;
}

export function summarizeProposal({ operations }: Services, row: ListedRow): ProposalSummary {
  const { id, team_id, operation, description, source, ticket_id, reply_id, state } = row;
  const { created_at, expires_at, decided_at, result } = row;
  const summary = operations.get(operation)?.summary ?? operation;
  const own = { id, team_id, operation, description, source, ticket_id, reply_id, state, summary };
  return { ...own, created_at, expires_at, decided_at, result: result && outcomeOf(result) };
}

const outcomeOf = ({ status, operation_id, body }: ProposalResult) => ({
  status,
  operation_id,
  detail: status === 200 ? null : refusalOf(body),
});

/** As its asker sees it, who has to know all of what they confirm: a mask over what looks like a secret could hide what a command does. */
export function viewProposal(services: Services, caller: Caller, row: ProposalRow): Proposal {
  const input = openInput(services.secrets, row.input_sealed) as Record<string, unknown>;
  const isWhole = row.source !== 'api' && seesSecrets(caller);
  const { preview, result } = row;
  return {
    ...summarizeProposal(services, row),
    input: isWhole ? input : hideNamed(input),
    preview,
    result: result && { ...outcomeOf(result), body: result.body },
  };
}

export function openInput(secrets: Services['secrets'], sealed: Buffer): CallInput {
  return JSON.parse(secrets.open(sealed).toString('utf8'));
}

/** What a policy looks up is a team, or something that a team has: a site, a part of one, or what may be about one. */
function matterOf(subject: unknown): { team_id: string | null; site_id: string | null } {
  if (typeof subject === 'string') return { team_id: subject, site_id: null };
  const named = (subject ?? {}) as Partial<Record<'site' | 'id' | 'team_id' | 'of_site_id' | 'site_live_id', unknown>>;
  if (named.site) return matterOf(named.site);
  const site_id = 'of_site_id' in named ? (named.of_site_id ?? named.id) : named.site_live_id;
  return { team_id: (named.team_id ?? null) as string | null, site_id: (site_id ?? null) as string | null };
}
