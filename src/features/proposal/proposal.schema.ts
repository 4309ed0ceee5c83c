import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, OneOf, OpenObject, Timestamp, Uuid } from '#core/http/schema.ts';

const STATES = ['open', 'confirmed', 'refused', 'expired', 'failed'] as const;
const SOURCES = ['api', 'mcp', 'ticket'] as const;

const Outcome = Type.Object({
  status: Type.Integer({ description: 'What the call was answered with, as over HTTP' }),
  operation_id: Nullable(Type.String({ description: 'The event of work that goes on after the answer' })),
  detail: Nullable(Type.String({ description: 'Why it was refused' })),
});
const Result = Type.Object({
  ...Outcome.properties,
  body: Type.Unsafe<unknown>({ description: 'Without what is secret in it' }),
});
/** As it is kept; why it was refused is in the body. */
export type ProposalResult = Omit<Static<typeof Result>, 'detail'>;

export const Proposal = Type.Object(
  {
    id: Uuid,
    operation: Type.String({ description: 'What would be called, by its id' }),
    input: Type.Unsafe<Record<string, unknown>>({
      ...OpenObject,
      description:
        'Its parameters, query and body, whole. Passwords that you gave yourself are hidden; what a program chose is not',
    }),
    summary: Type.String({ description: 'What the operation does, in a sentence' }),
    description: Type.String({ description: 'What this call would do' }),
    preview: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        ...OpenObject,
        description: 'A comparison, where there is one: of a restore its dry look, of a staging site its changes',
      }),
    ),
    state: OneOf(STATES, {
      description: 'One is open for an hour. `confirmed` without a result: the call is on its way',
    }),
    result: Nullable(Result),
    source: OneOf(SOURCES),
    team_id: Nullable(Uuid),
    ticket_id: Nullable(Uuid),
    reply_id: Nullable(Uuid),
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_at: Nullable(Timestamp),
  },
  { title: 'Proposal' },
);
export type Proposal = Static<typeof Proposal>;

/** In lists and in threads that others read too. */
export const ProposalSummary = Type.Object(
  { ...Type.Omit(Proposal, ['input', 'preview', 'result']).properties, result: Nullable(Outcome) },
  { title: 'ProposalSummary' },
);
export type ProposalSummary = Static<typeof ProposalSummary>;

export const NewProposal = Type.Object({
  operation: Type.String({ minLength: 1, maxLength: 100, description: 'The id of an operation of the assistant’s' }),
  input: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...OpenObject,
      description: 'All that it takes, of path, query and body together',
    }),
  ),
});

export const proposalNotFound = failure('proposal.not_found', 404, 'There is no such proposal of yours.');
export const proposalNotOpen = failure('proposal.not_open', 409, 'This proposal is no longer open.');
export const cannotPropose = failure('proposal.not_possible', 409, 'This call can not be proposed.');
