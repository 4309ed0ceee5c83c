import { type Static, Type } from 'typebox';
import { Nullable, OneOf, OpenObject, Timestamp } from '#core/http/schema.ts';

const LOOKS = [
  'state',
  'front_page',
  'errors',
  'dns',
  'certificate',
  'plan',
  'timeline',
  'changes',
  'traffic',
] as const;
export type LookName = (typeof LOOKS)[number];

const NullableTimestamp = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' });

const FrontPage = Type.Object({
  status: Type.Integer({ description: 'What the front page answers now' }),
  duration_ms: Type.Integer(),
  failing_since: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'The first of the answers in a row, up to now, that were failures, as far as the log tells',
  }),
  last_good_at: Type.Unsafe<Date | null>({ ...NullableTimestamp, description: 'The last answer before that was good' }),
});
export type FrontPage = Static<typeof FrontPage>;

const LastError = Type.Object({
  at: Timestamp,
  level: Type.String(),
  message: Type.String({ description: 'Its first line; what is secret in it is hidden' }),
  file: Nullable(Type.String()),
  line: Nullable(Type.Integer()),
});
export type LastError = Static<typeof LastError>;

const Change = Type.Object({
  at: Timestamp,
  kind: OneOf(['plugin', 'must-use plugin', 'theme', 'other', 'event']),
  name: Nullable(Type.String({ description: 'The plugin or the theme' })),
  text: Type.String(),
});
export type Change = Static<typeof Change>;

const Suggestion = Type.Object({
  label: Type.String({ description: 'For the button' }),
  operation: Type.String(),
  input: Type.Unsafe<Record<string, unknown>>({
    ...OpenObject,
    description: 'For createProposal, or for the operation itself',
  }),
});
export type Suggestion = Static<typeof Suggestion>;

const Finding = Type.Object({
  level: OneOf(['problem', 'hint', 'fine']),
  text: Type.String(),
  suggestion: Nullable(Suggestion),
});
export type Finding = Static<typeof Finding>;

export const Diagnosis = Type.Object(
  {
    fqdn: Type.String(),
    looked_at: Timestamp,
    woke: Type.Boolean({ description: 'The site slept, and was woken to look at its front page' }),
    findings: Type.Array(Finding, { description: 'What it comes to, in plain words, the worst first' }),
    front_page: Nullable(FrontPage),
    errors: Type.Array(LastError, { description: 'The last errors of PHP, newest first, each once' }),
    changes: Type.Array(Change, {
      description: 'What changed, newest first: files by the backups, and what people did',
    }),
    looks: Type.Array(
      Type.Object({
        name: OneOf(LOOKS),
        ok: Type.Boolean({ description: 'It could be looked at; not whether it is fine' }),
        text: Type.String({ description: 'What was seen, or why nothing could be' }),
      }),
    ),
  },
  { title: 'Diagnosis' },
);
export type Diagnosis = Static<typeof Diagnosis>;
