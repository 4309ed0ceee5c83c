import type { Caller } from '#core/auth/caller.ts';
import { type Fault, invalid } from '#core/errors.ts';
import { checkCaller, checkReach, checkSignedIn, opens } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { isInView } from './effects.ts';
import { foreignOrigin, tooMany, viewOnly } from './failures.ts';
import type { Call, Operation } from './operation.ts';
import { countedAddress, type LimitState, takeForCaller } from './rate-limits.ts';
import { readersOf } from './readers.ts';

/** Who asks, as the way by which they came found out. */
export interface Asker {
  caller: Caller | undefined;
  /** Looks who they are by now; undefined where nothing is known of them that could end. */
  renew: (() => Promise<Caller | undefined>) | undefined;
  /** All credentials that came and count, known or not. */
  tokens: readonly string[];
  /** True where a page of another origin would spend the visitor's session. */
  isForeign: boolean;
  /** True where an operator looks at somebody's account, whether or not it matters to the operation who calls. */
  isView?: boolean;
}

/**
 * The first half of the way of a call, in the order that the decisions demand: sign-in, path ids, what the path names. It
 * needs neither query nor body.
 */
export interface Admission {
  caller: Caller | undefined;
  asker: Asker;
  params: Record<string, unknown>;
  subject: unknown;
}

export async function admit(services: Services, operation: Operation, asker: Asker, path: unknown): Promise<Admission> {
  const { access, method } = operation;
  const { caller } = asker;
  checkSignedIn(access, caller);
  if ((asker.isView || caller?.viewedBy !== undefined) && !isInView(operation)) throw viewOnly();
  operation.needs?.(services);

  const faults: Fault[] = [];
  const params = (readersOf(operation).path?.(path, faults) ?? {}) as Record<string, unknown>;
  if (faults.length > 0) throw invalid(...faults);

  if (asker.isForeign) throw foreignOrigin();
  if (caller) checkCaller(access, caller, method);
  let subject: unknown;
  if (access.named === 'path' && caller) {
    subject = await access.find?.(services.db, caller, params, services.config);
    checkReach(access, caller, method);
  }
  return { caller, asker, params, subject };
}

/**
 * Rights that ended since a call was let in end it too: what it writes may last. A caller who is remembered unchanged
 * costs no query. Without a `call` the body has not been read yet, and so only what the path names is known.
 */
export async function admitAgain(
  { db, config }: Services,
  { access, method }: Operation,
  admission: Admission,
  call?: Call,
): Promise<void> {
  const { caller: before, asker } = admission;
  if (!before || !asker.renew) return;
  const found = await asker.renew();
  if (found === before) return;
  const caller = found && opens(access, found) ? found : undefined;
  admission.caller = caller;
  checkSignedIn(access, caller);
  if (!caller) return;
  checkCaller(access, caller, method);
  const named = access.named === 'path' ? admission.params : call && access.named && call[access.named];
  if (!named) return;
  await access.find?.(db, caller, named as Record<string, unknown>, config);
  checkReach(access, caller, method);
}

/** Whether it matters to the operation who calls. */
export function asksWho({ access }: Operation): boolean {
  return access.who !== 'anyone' || access.identifies === true;
}

/** Counts one call by its caller, or by IP address if the operation has its own limit or the call is anonymous. */
export function countCall(
  { limits }: Services,
  operation: Operation,
  caller: Caller | undefined,
  ip: string,
): LimitState {
  const general = operation.method === 'GET' ? 'read' : 'write';
  if (caller && !operation.limit) return takeForCaller(limits, general, caller);
  const name = operation.limit ?? general;
  return limits.take(name, countedAddress(name, ip));
}

/** What answers carry besides their body. */
export type Show = (headers: Record<string, string | string[]>) => void;

/** Shows the state of a limit in the `RateLimit-*` headers, which are absent where nothing is limited. */
export function showLimit(show: Show, state: LimitState): void {
  if (state.limit === 0) return;
  show({
    'ratelimit-limit': String(state.limit),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(state.resetSeconds),
  });
  if (state.exceeded) throw tooMany({ headers: { 'retry-after': String(state.resetSeconds) } });
}
