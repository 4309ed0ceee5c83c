import { channel } from 'node:diagnostics_channel';
import { type Failure, requestInvalid, unauthenticated } from '#core/errors.ts';
import { boundToTeam, insufficientScope, operatorsOnly, sessionRequired } from '#core/policy.ts';
import { isInView } from './effects.ts';
import { tooManyStreams } from './event-stream.ts';
import {
  answerNotKept,
  conflict,
  diskFull,
  duplicateCookie,
  foreignOrigin,
  internal,
  malformed,
  outcomeUnknown,
  rightsLost,
  stillRunning,
  tooLarge,
  tooMany,
  unavailable,
  upgradeRequired,
  viewOnly,
} from './failures.ts';
import { keepsAnswer, type Operation } from './operation.ts';

/**
 * What an operation declares, and what every operation of its kind has besides. From this the OpenAPI document says which
 * failures there are; what leaves an operation without being declared is reported.
 */
export function failuresOf(operation: Operation): Failure[] {
  const { access, method, params, query, changesElsewhere, stream, connect } = operation;
  const isOpen = access.who === 'anyone';
  const writes = method !== 'GET';
  // Every token reads.
  const needsScope = access.scope !== undefined && access.scope !== 'read';
  const ofWho = { operator: [operatorsOnly], session: [sessionRequired], account: [boundToTeam] };
  const all = [
    ...(operation.errors ?? []),
    ...(stream || connect ? [tooManyStreams] : []),
    ...(connect ? [upgradeRequired, foreignOrigin] : []),
    ...(access.errors ?? []),
    ...(ofWho[access.who as keyof typeof ofWho] ?? []),
    ...(isOpen ? [] : [unauthenticated, duplicateCookie]),
    ...((writes || needsScope) && !isOpen ? [insufficientScope] : []),
    ...(writes && !isOpen ? [foreignOrigin] : []),
    ...(isInView(operation) ? [] : [viewOnly]),
    ...(writes ? [conflict, tooLarge] : []),
    ...(writes || params || query ? [requestInvalid] : []),
    ...(keepsAnswer(operation) ? [stillRunning, answerNotKept] : []),
    ...(keepsAnswer(operation) && !isOpen ? [rightsLost] : []),
    ...(changesElsewhere ? [outcomeUnknown] : []),
    ...[malformed, tooMany, internal, unavailable, diskFull],
  ];
  return [...new Set(all)];
}

/** Diagnostics channel that reports each undeclared response; testkit/app/test-app.ts subscribes to it and fails. */
export const UNDECLARED = 'siteyard:undeclared';
const undeclared = channel(UNDECLARED);

interface Log {
  error(context: object, message: string): void;
}

export function checkDeclared(
  operation: Operation,
  { code, status }: { code: string; status: number },
  log: Log,
): void {
  if (failuresOf(operation).some((each) => each.code === code && each.status === status)) return;
  report(operation, `${status} ${code}`, log);
}

/** The header that names the event is declared too: whoever reads the document then knows that there is more to come. */
export function checkGoesOn(operation: Operation, log: Log): void {
  if (!operation.goesOn) report(operation, 'the header Operation-Id', log);
}

function report({ id }: Operation, what: string, log: Log): void {
  log.error({ operation: id, what }, 'a bug: an operation answered with something that it does not declare');
  undeclared.publish(`${id}: ${what}`);
}
