import type { ApiError, WorkFailed } from '../../sdk/index.ts';
import { EXIT, Stop } from './exit.ts';

/** What somebody at a terminal can do about a refusal, where the sentence of the API leaves that open. */
const ADVICE: Record<string, string> = {
  'auth.required': 'Sign in again: `siteyard login`.',
  'auth.insufficient_scope': 'Sign in again with a token that may do more: `siteyard login`.',
  'auth.bound_to_team': 'Sign in again with a token for all your teams: `siteyard login`.',
  'auth.session_required': 'Only the dashboard can do this: `siteyard open`.',
  'site.not_found': 'Your sites: `siteyard site list`.',
  'site.busy': 'Wait for the work on it to end: `siteyard event --follow`.',
  'stage.missing': 'Make one first: `siteyard stage create SITE`.',
  'git.not_linked': 'Link a repository first: `siteyard git link SITE URL`.',
  'template.not_found': 'What there is: `siteyard template list`.',
  'ticket.not_found': 'Your tickets: `siteyard ticket list`.',
  'team.not_found': 'Your teams: `siteyard team list`.',
  'rate_limit.exceeded': 'Wait a minute and try again.',
};

interface Explained {
  lines: string[];
  exitCode: number;
}

/** An error as it is shown: the sentence, what to do, and where to read more. Told apart by name: loading the SDK's classes is not free. */
export function explain(error: unknown, host: string | undefined): Explained {
  if (error instanceof Stop)
    return { lines: [error.message, ...(error.advice ? [error.advice] : [])], exitCode: error.exitCode };
  const name = error instanceof Error ? error.name : '';
  if (name === 'ApiError') return explainRefusal(error as ApiError, host);
  if (name === 'WorkFailed') {
    const { message, event } = error as WorkFailed;
    return {
      lines: [message, `All that is known of it: \`siteyard event ${event.id} --json\`.`],
      exitCode: EXIT.failed,
    };
  }
  if (error instanceof TypeError && 'cause' in error && error.cause instanceof Error) {
    const lines = [`${host ?? 'The platform'} can not be reached: ${reasonOf(error.cause)}.`];
    return { lines: [...lines, 'Check the address (--host, SITEYARD_URL) and the connection.'], exitCode: EXIT.failed };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { lines: [message], exitCode: EXIT.failed };
}

function explainRefusal(error: ApiError, host: string | undefined): Explained {
  const { code, status, requestId, faults, message } = error;
  const said =
    faults.length > 0
      ? faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg.replace(/^Value error, /, '')}`)
      : [message];
  const lines = [`${said.join('; ')}${code ? ` (${code})` : ''}`];
  const advice = code && ADVICE[code];
  if (advice) lines.push(advice);
  const where = code && host ? `More: ${host}/docs/errors#${code}` : '';
  const which = requestId ? `Request: ${requestId}` : '';
  if (where || which) lines.push([where, which].filter(Boolean).join('  '));
  return { lines, exitCode: status === 401 ? EXIT.needsSignIn : EXIT.failed };
}

const reasonOf = (cause: Error) =>
  cause.message ||
  String((cause as { code?: string }).code ?? (cause as AggregateError).errors?.[0]?.message ?? 'no answer');
