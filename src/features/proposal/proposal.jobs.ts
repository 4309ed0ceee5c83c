import type { Db } from '#core/db/database.ts';
import { finishEvent } from '#core/events/events.ts';
import { refusalOf } from '#core/http/answers.ts';
import { invoke } from '#core/http/invoke.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { NotYet } from '#core/jobs/queue.ts';
import { maskSecrets } from '#core/mask-secrets.ts';
import type { Services } from '#core/services.ts';
import type { ProposalResult } from './proposal.schema.ts';
import { endProposal, findProposal, type ProposalRow } from './proposal.sql.ts';
import { openInput } from './proposal.ts';

const MAX_RESULT = 50_000;

interface Payload {
  proposalId: string;
  eventId: string;
  ip: string;
}

/**
 * Makes the call that was confirmed. Killed at any instant and run again, it has its effect once, and the answer of that: it is kept
 * under the proposal's id with the effect itself.
 */
export const callProposed = jobKind<Payload>({
  name: 'proposal.call',
  // Beside the answers of the assistant, a few of a team at a time: what waits for another's work must not stand before everybody's.
  lane: 'assistant',
  async run({ proposalId, eventId, ip }, { services, commit }) {
    const proposal = await findProposal(services.db, proposalId);
    if (proposal?.state !== 'confirmed' || proposal.result !== null) return;
    const result = await call(services, proposal, ip);
    await commit((tx) => end(tx, { proposalId, eventId }, result));
  },
  abandon: (db, payload, error) => end(db, payload, refused(500, `It could not be done: ${error}`)),
});

async function call(services: Services, proposal: ProposalRow, ip: string): Promise<ProposalResult> {
  const { operations, credentials, secrets } = services;
  const operation = operations.get(proposal.operation);
  const caller = proposal.confirmed_with && (await credentials.renew({ credential: { id: proposal.confirmed_with } }));
  if (!operation) return refused(404, 'The platform does not know this call any more.');
  if (!caller) return refused(401, 'Whoever confirmed this has signed out since.');
  const { status, headers, body } = await invoke(services, operation, caller, {
    ...openInput(secrets, proposal.input_sealed),
    onceAs: proposal.id,
    ip,
    ...(proposal.is_bound && proposal.team_id !== null && { within: { teamId: proposal.team_id } }),
  });
  // Nobody refused it: the database was away, or too much was asked at once. The queue comes back.
  if (status === 503 || status === 429 || isRunning(body)) throw notYet(refusalOf(body));
  const eventId = headers['operation-id'];
  return { status, body: fitting(maskSecrets(body)), operation_id: typeof eventId === 'string' ? eventId : null };
}

const refused = (status: number, detail: string): ProposalResult => ({ status, body: { detail }, operation_id: null });
/** It was not done, so this attempt counts for nothing. */
const notYet = (reason: string): NotYet => Object.assign(new Error(reason), { isNotYet: true as const });

/** Of two attempts at once, as after a kill that did not end the connection, the later one waits for the first. */
const isRunning = (body: unknown) => (body as { code?: unknown } | null)?.code === 'idempotency.in_progress';

const fitting = (body: unknown) =>
  (JSON.stringify(body)?.length ?? 0) > MAX_RESULT ? { detail: 'The answer is too long to be kept here.' } : body;

async function end(db: Db, { proposalId, eventId }: Omit<Payload, 'ip'>, result: ProposalResult): Promise<void> {
  const isDone = result.status === 200;
  await endProposal(db, proposalId, { state: isDone ? 'confirmed' : 'failed', result });
  const { operation_id } = result;
  await finishEvent(db, eventId, isDone ? { operation_id } : { failure: refusalOf(result.body) });
}
