import { type Static, Type } from 'typebox';
import { Moment, Nullable, OfStage, OneOf, PageQuery, say, Timestamp } from '#core/http/schema.ts';
import { ERROR_LEVELS } from '#host/site-log/entries.ts';
import { PLACE_PATTERN } from '#host/site-log/log-reader.ts';

const LOG_KINDS = ['error', 'access'] as const;

const id = Type.String({ description: 'Its place in the log' });

const LoggedError = Type.Object(
  {
    id,
    kind: OneOf(['error']),
    at: Timestamp,
    level: OneOf(ERROR_LEVELS),
    message: Type.String({ description: 'With the stack trace, where there is one' }),
    file: Nullable(Type.String({ description: 'As in wp-content/plugins/akismet/akismet.php' })),
    line: Nullable(Type.Integer()),
    request: Nullable(
      Type.String({ description: 'The method and path of the request, or the command, that it happened in' }),
    ),
  },
  { title: 'SiteLogError' },
);

const LoggedVisit = Type.Object(
  {
    id,
    kind: OneOf(['access']),
    at: Type.Unsafe<Date>({ ...Timestamp, description: 'When the answer was sent' }),
    method: Type.String(),
    path: Type.String({ description: 'With the query; values that let somebody in are cut from it' }),
    status: Type.Integer({ description: '499: the visitor left before there was an answer' }),
    bytes: Type.Integer({ description: 'What was sent, head included' }),
    duration_ms: Type.Integer(),
    cache: Nullable(Type.String({ description: 'HIT, STALE, MISS or BYPASS; null where no page was asked for' })),
    client_address: Type.String(),
    user_agent: Nullable(Type.String()),
    referrer: Nullable(Type.String()),
  },
  { title: 'SiteLogVisit' },
);

const LogNote = Type.Object(
  {
    id,
    kind: OneOf(['note']),
    at: Timestamp,
    message: Type.String({ description: 'What is missing here, and why' }),
  },
  { title: 'SiteLogNote' },
);

export const SiteLogEntry = Type.Union([LoggedError, LoggedVisit, LogNote], { title: 'SiteLogEntry' });
export type SiteLogEntry = Static<typeof SiteLogEntry>;

export const SiteLogPage = Type.Object(
  {
    results: Type.Array(SiteLogEntry),
    next_cursor: Nullable(
      Type.String({
        description: 'Asks for what is older; a page can be short, or empty, and still have one. Null at the end',
      }),
    ),
  },
  { title: 'SiteLogPage' },
);
export type SiteLogPage = Static<typeof SiteLogPage>;

const { kind: _, at: __, ...ofError } = LoggedError.properties;

export const SiteError = Type.Object(
  {
    ...ofError,
    id: Type.String({ description: 'The same for the same error, whenever it happens' }),
    count: Type.Integer({ description: 'How often it is in the log' }),
    first_at: say(Timestamp, 'When it happened first, as far as the log goes back'),
    last_at: say(Timestamp, 'When it happened last; what else is said of it is of then'),
  },
  { title: 'SiteError' },
);
export type SiteError = Static<typeof SiteError>;

export const SiteErrorsQuery = Type.Object({
  since: Type.Optional(say(Moment, 'Not before this moment')),
  level: Type.Optional(OneOf(ERROR_LEVELS, { description: 'Only those of this level' })),
  stage: OfStage,
  ...PageQuery,
});
export type SiteErrorsQuery = Static<typeof SiteErrorsQuery>;

const Kind = Type.Optional(
  Type.Unsafe<(typeof LOG_KINDS)[number]>({
    ...OneOf(LOG_KINDS),
    description: 'What went wrong, which is the default, or who visited',
  }),
);

export const LogQuery = Type.Object({
  kind: Kind,
  since: Type.Optional(say(Moment, 'Not before this moment')),
  until: Type.Optional(say(Moment, 'Not after this moment')),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Plain text that a line has, whatever its case' }),
  ),
  status: Type.Optional(
    Type.String({ pattern: '^[1-5](?:\\d{2}|xx)$', description: 'Of visits: a status as 404, or a class as 5xx' }),
  ),
  method: Type.Optional(
    Type.String({ pattern: '^[A-Z]{1,20}$', description: 'Of visits: only those asked for so, as in POST' }),
  ),
  path: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Of visits: a part of the path, whatever its case' }),
  ),
  min_duration_ms: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3_600_000, description: 'Of visits: only those that took at least so long' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Page size' })),
  cursor: Type.Optional(Type.String({ pattern: PLACE_PATTERN, description: 'next_cursor of the page before' })),
  stage: OfStage,
});
export type LogQuery = Static<typeof LogQuery>;
