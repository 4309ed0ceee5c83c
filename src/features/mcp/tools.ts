import { randomUUID } from 'node:crypto';
import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { type Caller, hasScope } from '#core/auth/caller.ts';
import { showLimit } from '#core/http/admission.ts';
import { describeError, refusalOf } from '#core/http/answers.ts';
import { type CatalogueEntry, callOf, catalogueOf } from '#core/http/catalogue.ts';
import { effectOf, strongestEffect } from '#core/http/effects.ts';
import { requireFreeStream } from '#core/http/event-stream.ts';
import { invoke } from '#core/http/invoke.ts';
import type { FlatInput, Operation } from '#core/http/operation.ts';
import { takeForCaller } from '#core/http/rate-limits.ts';
import { requireScope } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { propose } from '#features/proposal/proposal.ts';
import { fit } from './fit.ts';
import { follow } from './follow.ts';
import type { Context, Session } from './session.ts';

/** What answers of other tools lead to, besides what the contract gives to assistants. */
const FOLLOW_UPS = new Set(['getProposal', 'getEvent']);
/** A name for the call, by which a repeated one is known as it is over HTTP by its header. */
const KEY = 'siteyard/idempotency-key';

const isTool = (operation: Operation): boolean =>
  operation.handle !== undefined && (operation.assistant === true || FOLLOW_UPS.has(operation.id));

const LEVELS = ['write', 'plan', 'read'] as const;
type Level = (typeof LEVELS)[number];
/** Made once for each level: a list takes longer to make than many a tool to call. */
const made = new WeakMap<Services['operations'], Map<Level, Tool[]>>();

/** The tools that this token can do something with. */
export function listTools({ operations }: Services, caller: Caller): Tool[] {
  const level = LEVELS.find((each) => hasScope(caller, each)) ?? 'read';
  const lists = made.get(operations) ?? new Map<Level, Tool[]>();
  made.set(operations, lists);
  const tools = lists.get(level) ?? makeTools(operations, level);
  lists.set(level, tools);
  return tools;
}

function makeTools(operations: Services['operations'], level: Level): Tool[] {
  return [...operations.values()]
    .filter(isTool)
    .filter((operation) => strongestEffect(operation) === 'read' || level !== 'read')
    .map((operation) => toTool(operation, level));
}

function toTool(operation: Operation, level: Level): Tool {
  const [entry] = catalogueOf([operation]) as [CatalogueEntry];
  const { id, summary, effect, method, input, longRunning } = entry;
  const changes = effect === 'change' || effect === 'destroy';
  const proposes = changes && level !== 'write';
  const output = proposes ? undefined : outputOf(entry, operation);
  const notes = [
    `${summary}.`,
    proposes ? 'With this token it is not done but proposed: the answer says where your user confirms it.' : '',
    longRunning && !proposes ? 'The answer comes when the work has ended, which may take a while.' : '',
  ];
  return {
    name: id,
    title: summary,
    description: notes.filter(Boolean).join(' '),
    inputSchema: standard(input),
    ...(output && { outputSchema: standard(output) }),
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destroy' && !proposes,
      idempotentHint: method !== 'POST' && method !== 'PATCH',
      openWorldHint: false,
    },
  } as Tool;
}

/** Formats that only we know say nothing to others; what they mean stands in the description. */
const FORMATS = new Set(['date-time', 'date', 'uuid', 'email', 'uri']);
const standard = <Schema>(schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'format' && !FORMATS.has(value) ? undefined : value)));

/** What is no object is put into one: structured content is an object. What can be text as well has no shape. */
function outputOf({ output }: CatalogueEntry, { alsoText }: Operation): Record<string, unknown> | undefined {
  if (!output || alsoText) return undefined;
  return isWrapped(output) ? { type: 'object', properties: { result: output }, required: ['result'] } : output;
}

const isWrapped = (output: Record<string, unknown>) => output.type !== 'object';

/** Calls an operation in the name of whoever sent the message. What it refuses is an answer to the model, not a fault of the protocol. */
export async function callTool(
  session: Session,
  name: string,
  input: FlatInput,
  context: Context,
): Promise<CallToolResult> {
  const { services, caller } = session;
  const operation = services.operations.get(name);
  if (!operation || !isTool(operation))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
  try {
    const effect = effectOf(operation, input);
    const changes = effect === 'change' || effect === 'destroy';
    if (changes && !hasScope(caller, 'write')) {
      requireScope(caller, 'plan');
      return await proposeCall(session, operation, input, context);
    }
    return await makeCall(session, operation, input, context);
  } catch (error) {
    return toRefusal(describeError(error, undefined, services.log, randomUUID()));
  }
}

async function makeCall(
  session: Session,
  operation: Operation,
  input: FlatInput,
  context: Context,
): Promise<CallToolResult> {
  const { services, caller, ip } = session;
  const call = callOf(operation, input);
  if (operation.goesOn) requireFreeStream(services.events, caller);
  const idempotencyKey = context._meta?.[KEY];
  const { status, headers, body } = await invoke(services, operation, caller, {
    ...call,
    ip,
    signal: context.signal,
    ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
    follow: (eventId) => follow(session, eventId, { signal: context.signal, tell: tellerOf(context) }),
  });
  if (status !== 200) return toRefusal({ status, body: body as Record<string, unknown> });
  return toResult(operation, body, await noteOf(session, headers['operation-id']));
}

/** Whether the work is still going on: the answer is then that of its beginning. */
async function noteOf({ services }: Session, eventId: string | string[] | undefined): Promise<string | undefined> {
  if (typeof eventId !== 'string') return undefined;
  const { events } = services;
  return (await events.isFinished(eventId))
    ? undefined
    : `The work goes on. Ask getEvent with event_id=${eventId} for its end.`;
}

function toResult(operation: Operation, body: unknown, note?: string): CallToolResult {
  const { value, hint } = fit(body);
  const notes = [note, hint].filter((each) => each !== undefined).map((text) => ({ type: 'text' as const, text }));
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }, ...notes] };
  const structuredContent =
    Array.isArray(value) || isWrapped((operation.response ?? {}) as never) ? { result: value } : value;
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }, ...notes],
    structuredContent: structuredContent as Record<string, unknown>,
  };
}

/** A token that may only plan: the call waits for its owner, who confirms it in the dashboard. */
async function proposeCall(
  { services, caller, ip }: Session,
  operation: Operation,
  input: FlatInput,
  { signal }: Context,
): Promise<CallToolResult> {
  // It counts as what it would be over HTTP.
  showLimit(() => {}, takeForCaller(services.limits, 'write', caller));
  const wish = { operation: operation.id, input: callOf(operation, input), source: 'mcp' as const, ip, signal };
  const { id, description, state, expires_at } = await propose(services, caller, wish);
  const address = `${services.config.baseUrl}/proposals/${id}`;
  const proposal = { proposal_id: id, state, description, address, expires_at: expires_at.toISOString() };
  const text = `Nothing is changed yet. ${description} Your user confirms or refuses it at ${address} within an hour; getProposal tells how it ended.`;
  return { content: [{ type: 'text', text }], structuredContent: proposal };
}

function toRefusal({ status, body }: { status: number; body: Record<string, unknown> }): CallToolResult {
  const { detail, code = 'request.invalid', ...more } = body as { detail?: unknown; code?: string };
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${refusalOf(body)}` }],
    _meta: { 'siteyard/error': { code, status, detail, ...more } },
  };
}

/** Progress has to grow, and nobody knows how much there will be of it: it counts what was told. */
function tellerOf({ _meta, notify }: Context): ((message: string) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress++;
    void notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  };
}
