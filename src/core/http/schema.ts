import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

/**
 * The building blocks of every schema. A schema with a `title` becomes a component of the OpenAPI document. Nullable
 * values are written as a list of types and not as a union: the serialiser handles that without trying each branch.
 */
export const Uuid = Type.String({ format: 'uuid' });
/** A moment in an answer: rows carry Dates, the wire RFC 3339 in UTC with milliseconds. */
export const Timestamp = Type.Unsafe<Date>({ type: 'string', format: 'date-time' });
/** A moment in a request. */
export const Moment = Type.String({ format: 'date-time' });
export const Email = Type.String({ format: 'email', minLength: 3, maxLength: 254 });
/** A host name, read as DNS does: IDNA to ASCII, lower case. */
export const Fqdn = Type.String({ format: 'fqdn', description: 'A host name', examples: ['blog.example.com'] });
/** The same of somebody else's host, where a port may follow. */
export const Host = Type.String({
  format: 'host',
  description: 'A host name, with a port where it is not 443',
  examples: ['blog.example.com'],
});
/** Whether the staging site of the named site is meant. */
export const OfStage = Type.Optional(Type.Boolean({ description: 'Of its staging site instead' }));
/** A short human name: one line, not blank. */
export const Name = Type.String({ minLength: 1, maxLength: 100, format: 'line' });
/** A word or a few that sort things: one line, and no comma, so that several can stand in one field. */
export const Label = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^[^\\s,\\u0000-\\u001f\\u007f]+( [^\\s,\\u0000-\\u001f\\u007f]+)*$',
});
export const Text = Type.String({ minLength: 1, maxLength: 50_000, pattern: '\\S' });
/** An object whose members are the business of whoever wrote it. */
export const OpenObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });
export const Empty = Type.Object({}, { title: 'Empty', description: 'An empty object: it is done.' });

/** The same, with what it is for: models and people choose by that. */
export function say<T extends TSchema>(schema: T, description: string) {
  return Type.Unsafe<Static<T>>({ ...schema, description });
}

export function Nullable<T extends TSchema>(schema: T) {
  const { title: _, ...rest } = schema as unknown as { type: string; title?: string; enum?: unknown[] };
  const widened = { ...rest, type: [rest.type, 'null'], ...(rest.enum && { enum: [...rest.enum, null] }) };
  return Type.Unsafe<Static<T> | null>(widened);
}

/** One of a few words. A plain `enum`, because a union of literals would report a fault per branch. */
export function OneOf<const T extends string>(values: readonly T[], options: { description?: string } = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

export const PageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page number' })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Page size' })),
} satisfies TProperties;

export function PageOf<T extends TObject>(item: T & { title?: string }) {
  return Type.Object(
    {
      count: Type.Integer({ description: 'All matching rows' }),
      limit: Type.Integer({ minimum: 1 }),
      next: Nullable(Type.String()),
      offset: Type.Integer({ minimum: 0 }),
      previous: Nullable(Type.String()),
      results: Type.Array(item),
    },
    { title: `${item.title}Page` },
  );
}

export const ValidationError = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] })),
        msg: Type.String(),
        type: Type.String(),
      }),
    ),
    code: Type.Optional(Type.String()),
  },
  { title: 'ValidationError' },
);

export const ErrorAnswer = Type.Object(
  { detail: Type.String({ description: 'One clear sentence' }), code: Type.String() },
  { title: 'Error', additionalProperties: true },
);

export const InternalError = Type.Object(
  { ...ErrorAnswer.properties, request_id: Type.String({ format: 'uuid', description: 'The same as X-Request-Id' }) },
  { title: 'InternalError', additionalProperties: true },
);
