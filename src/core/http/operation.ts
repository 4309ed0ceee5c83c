import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { Failure } from '#core/errors.ts';
import type { PageAnswer, Paging } from '#core/pages.ts';
import type { Access } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import type { LimitName } from './rate-limits.ts';

/** What a body may weigh where the operation says nothing else. */
export const BODY_LIMIT_BYTES = 1024 * 1024;
/** Limit of a body that is parsed without authenticating its sender. The longest legitimate one has about 20 kB. */
const OPEN_BODY_LIMIT_BYTES = 128 * 1024;
export const API_PREFIX = '/f/api/v1';
export const API_VERSION = '1.0.0';
export const EVENT_STREAM = 'text/event-stream';

/** What a call does: look, work something out without doing it, change something, or end something for good. */
export type Effect = 'read' | 'plan' | 'change' | 'destroy';
/** The fields of path, query and body in one object; where each belongs is the operation's business. */
export type FlatInput = Record<string, unknown>;

/** What an operation gets to work with, once the request has been let in and found valid. */
export interface Call<Params = unknown, Query = unknown, Body = unknown, Subject = unknown, Prepared = unknown> {
  params: Params;
  query: Query;
  body: Body;
  /** What the operation's policy looked up: the team's id, or the record itself. */
  subject: Subject;
  /** Whoever is signed in. Operations open to anyone ask `callerIfAny` instead. */
  caller: Caller;
  callerIfAny: Caller | undefined;
  /** What the operation's own `prepare` made. */
  prepared: Prepared;
  /** The credentials as they came, those that count, for the operation that ends them. */
  tokens: readonly string[];
  /** What an earlier sign-in left in this browser. */
  device: string | undefined;
  /** What the other side calls itself. */
  userAgent: string | undefined;
  /** The header as it came, for programs that authenticate themselves by it (RFC 6749, 2.3.1). */
  authorization: string | undefined;
  /** A transaction for whatever changes something, the pool for reads. */
  db: Db;
  services: Services;
  ip: string;
  /** Aborted when whoever asked does not wait for the answer any more. */
  gone(): AbortSignal;
  log: Services['log'];
  /** What the answer carries besides its body. `operation-id` names the event of work that goes on after it. */
  headers: Record<string, string>;
  /** The session that the answer gives, where it gives one: a kept answer is shown again only while that lasts. */
  sessionId: string | undefined;
  /** Cookies for the caller's browser. A page of another site does not get to set them. */
  cookies: string[];
  /** Puts rows into the envelope, with links to the pages beside this one. */
  page<Item>(paging: Paging, count: number, results: Item[]): PageAnswer<Item>;
}

interface Declaration<P extends TProperties, Q extends TProperties, B extends TSchema, Subject> {
  /** The verb everywhere: function, operationId, SDK method, CLI verb, assistant's tool. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the prefix, with parameters as {name}. */
  path: string;
  tag: string;
  summary: string;
  access: Access<Subject>;
  /** What it can refuse with, beyond what its policy and every operation can (http/declared.ts). */
  errors?: readonly Failure[];
  /** Throws where the operator has not set the platform up for it; asked before what the client sent is looked at. */
  needs?(services: Services): void;
  params?: TObject<P>;
  query?: TObject<Q>;
  body?: B;
  /** What the body may be sent as; JSON unless said otherwise. A `stream` is bytes that are read as they come (http/upload.ts). */
  accepts?: readonly ('json' | 'form' | 'xml' | 'bytes' | 'stream')[];
  bodyLimitBytes?: number;
  /** Enabled for the assistant: (A) in the contract. */
  assistant?: true;
  /** The strongest effect that it can have; by the method unless said (http/catalogue.ts). */
  effect?: Effect;
  /** The effect of one call, where that is less: by path, query and body in one object. */
  effectOf?(input: FlatInput): Effect | undefined;
  /** The limit that counts; otherwise reads or writes of the credential. */
  limit?: LimitName;
  /** False for sign-in: its work must not hold a transaction, and its answer must never be kept. */
  transaction?: false;
  /** Refusals carry OAuth's `error` and `error_description` besides ours. */
  oauthErrors?: true;
  /** The handler reports repeated query parameters itself, since OAuth sends such errors to the client by redirect. */
  acceptsRepeatedQuery?: true;
  /** It changes something and is there all the same for an operator who views somebody's account: it ends that. */
  endsView?: true;
  /** Its answer is content of a site, where anything can be: not for an operator who views somebody's account. */
  showsContent?: true;
  /** Its work may go on after the answer, which then names the event in Operation-Id; `Prefer: wait` waits for that. */
  goesOn?: true;
}

export interface JsonOperation<
  P extends TProperties,
  Q extends TProperties,
  B extends TSchema,
  R extends TSchema,
  Subject,
  Prepared,
> extends Declaration<P, Q, B, Subject> {
  response: R;
  /** Where the query can ask for plain text instead, which the handler then returns. */
  alsoText?: true;
  /** Slow work that needs no transaction, such as hashing a password, done before one is opened. */
  prepare?(call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, Static<B>, Subject>): Promise<Prepared>;
  /**
   * Whether `prepare` changes something elsewhere. Under an Idempotency-Key that is sent once: where nobody knows how it
   * ended, that is the answer.
   */
  changesElsewhere?(call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, Static<B>, Subject>): boolean;
  handle(
    call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, Static<B>, Subject, Prepared>,
  ): Promise<Static<R>>;
  /**
   * The answer once the work that the first answer started has ended, for callers who waited for it (Prefer: wait). It
   * reads on the pool, and throws where the work failed and that is the answer.
   */
  reread?(
    call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, Static<B>, Subject, Prepared>,
    first: { body: Static<R>; eventId: string },
  ): Promise<Static<R>>;
}

/** An answer that is described by hand. */
interface OtherAnswer {
  description: string;
  /** By name, with what each says. */
  headers?: Record<string, string>;
}

/** An operation that answers by itself: with a stream, a page, a file. */
export interface RawOperation<P extends TProperties, Q extends TProperties, B extends TSchema, Subject>
  extends Declaration<P, Q, B, Subject> {
  /** What a success is; undefined where there is only what `also` has. */
  produces?: string;
  /** What it is made of where it is JSON. */
  response?: TSchema;
  /** Answers besides, by status. */
  also?: Record<number, OtherAnswer>;
  serve(
    call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, Static<B>, Subject>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown>;
}

/** An operation that answers with Server-Sent Events, until the caller leaves or may no longer. */
interface StreamOperation<P extends TProperties, Q extends TProperties, Subject, Prepared>
  extends Declaration<P, Q, TSchema, Subject> {
  method: 'GET';
  /** What can be refused only before the stream begins. */
  prepare?(call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, unknown, Subject>): Promise<Prepared>;
  stream(
    call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, unknown, Subject, Prepared>,
    response: ServerResponse,
    lastEventId: string | undefined,
  ): Promise<void>;
}

/** A request to leave HTTP that was let in. */
export interface Upgrade {
  request: IncomingMessage;
  /** Raw: whatever frames there are, the operation reads and writes. It is ended with the caller's rights. */
  socket: Socket;
  /** What the other side sent already. */
  head: Buffer;
  /** Tells the other side that this is a WebSocket from here on. A library that does so by itself needs it not. */
  accept(): void;
}

/** Who somebody is by a ticket that the request has, and what else the ticket says. */
export interface Redeemed<Prepared = unknown> {
  caller: Caller;
  prepared: Prepared;
  /** Throws where they may no longer; asked when an end of their rights could not be missed any more. */
  recheck(): Promise<void>;
}

/** An operation that is a WebSocket. Its policy says what token it takes; a GET would otherwise do with one that only reads. */
interface SocketOperation<P extends TProperties, Q extends TProperties, Subject, Prepared>
  extends Declaration<P, Q, TSchema, Subject> {
  method: 'GET';
  /** Where the request shows a ticket instead of a credential. A page of another site can not use one. */
  redeem?(
    call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, unknown, Subject>,
  ): Promise<Redeemed<Prepared>>;
  connect(
    call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, unknown, Subject, Prepared>,
    upgrade: Upgrade,
  ): Promise<void>;
}

/** An operation whose answer is text of another kind, which is kept under an Idempotency-Key like any other. */
export interface TextOperation<P extends TProperties, Q extends TProperties, B extends TSchema, Subject, Prepared>
  extends Declaration<P, Q, B, Subject>,
    Pick<JsonOperation<P, Q, B, TSchema, Subject, Prepared>, 'prepare' | 'changesElsewhere'> {
  produces: string;
  handle(
    call: Call<Static<TObject<P>>, WithDefaults<Static<TObject<Q>>>, Static<B>, Subject, Prepared>,
  ): Promise<string>;
}

/** `page` and `size` are optional to send and always there to read. */
type WithDefaults<Q> = Q extends { page?: number; size?: number }
  ? Omit<Q, 'page' | 'size'> & { page: number; size: number }
  : Q;

/** An operation as the server and the documents see it, whatever its types. */
export type Operation = Declaration<TProperties, TProperties, TSchema, unknown> & {
  response?: TSchema;
  alsoText?: true;
  produces?: string;
  also?: Record<number, OtherAnswer>;
  prepare?(call: Call): Promise<unknown>;
  changesElsewhere?(call: Call): boolean;
  handle?(call: Call): Promise<unknown>;
  reread?(call: Call, first: { body: unknown; eventId: string }): Promise<unknown>;
  serve?(call: Call, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  stream?(call: Call, response: ServerResponse, lastEventId: string | undefined): Promise<void>;
  redeem?(call: Call): Promise<Redeemed>;
  connect?(call: Call, upgrade: Upgrade): Promise<void>;
};

/** Said here, since an operation is made of what services are and not the other way round. */
declare module '../services.ts' {
  interface Services {
    /** All that the platform can be asked to do, by id, for whoever acts in somebody's name (invoke.ts). */
    operations: ReadonlyMap<string, Operation>;
  }
}

export const takesStream = ({ accepts = [] }: Pick<Operation, 'accepts'>): boolean => accepts.includes('stream');

/**
 * Whether an Idempotency-Key counts: at every POST but sign-in, and but what the payment provider sends (docs/decisions/0014).
 */
export function keepsAnswer(operation: Operation): boolean {
  return operation.method === 'POST' && canKeepAnswer(operation);
}

/** The same for whoever calls from within and may have to call again, whatever the method. */
export function canKeepAnswer({ method, transaction, serve }: Operation): boolean {
  return method !== 'GET' && transaction !== false && serve === undefined;
}

export function operation<
  R extends TSchema,
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema = TSchema,
  Subject = undefined,
  Prepared = undefined,
>(declaration: JsonOperation<P, Q, B, R, Subject, Prepared>): Operation {
  return declaration as unknown as Operation;
}

export function textOperation<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema = TSchema,
  Subject = undefined,
  Prepared = undefined,
>(declaration: TextOperation<P, Q, B, Subject, Prepared>): Operation {
  return declaration as unknown as Operation;
}

export function rawOperation<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema = TSchema,
  Subject = undefined,
>(declaration: RawOperation<P, Q, B, Subject>): Operation {
  return declaration as unknown as Operation;
}

export function streamOperation<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  Subject = undefined,
  Prepared = undefined,
>(declaration: StreamOperation<P, Q, Subject, Prepared>): Operation {
  return { ...declaration, produces: EVENT_STREAM } as unknown as Operation;
}

export function socketOperation<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  Subject = undefined,
  Prepared = undefined,
>(declaration: SocketOperation<P, Q, Subject, Prepared>): Operation {
  const also = { 101: { description: 'A WebSocket from here on' } };
  return { ...declaration, also } as unknown as Operation;
}

export function bodyLimitOf({ access, accepts = [], bodyLimitBytes }: Operation): number {
  const isParsedUnauthenticated = access.who === 'anyone' && !accepts.includes('bytes');
  return bodyLimitBytes ?? (isParsedUnauthenticated ? OPEN_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES);
}
