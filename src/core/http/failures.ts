import { failure } from '#core/errors.ts';

/** What the way of a request can end with, whatever the operation. */
export const malformed = failure('request.malformed', 400, 'The request is not valid HTTP.');
export const duplicateCookie = failure(
  'auth.duplicate_cookie',
  401,
  'Your browser sent two session cookies, and one of them is not from here. Delete the cookies of this address in your browser, then sign in again.',
  { headers: { 'www-authenticate': 'Bearer' } },
);
export const foreignOrigin = failure(
  'auth.foreign_origin',
  403,
  'A change made with the session cookie must come from the platform itself.',
);
export const viewOnly = failure(
  'auth.view_only',
  403,
  "You are viewing somebody's account: nothing can be changed, and what is secret stays hidden. End the view to act as yourself.",
);
export const routeNotFound = failure('route.not_found', 404, 'There is nothing at this address.');
export const methodNotAllowed = failure(
  'route.method_not_allowed',
  405,
  'This URL does not support the method. Use one that the Allow header lists.',
);
export const headersTooLarge = failure('request.headers_too_large', 431, 'The headers of the request are too large.');
export const tooSlow = failure('request.too_slow', 408, 'The request took too long to arrive.');
export const notReady = failure('service.not_ready', 503, 'The service can not serve right now.', {
  headers: { 'retry-after': '5' },
});
export const conflict = failure(
  'request.conflict',
  409,
  'Somebody else changed the same thing at the same time; try again.',
);
export const tooLarge = failure('request.too_large', 413, 'The request body is larger than this operation takes.');
export const upgradeRequired = failure('request.upgrade_required', 426, 'This address is for WebSockets alone.', {
  headers: { upgrade: 'websocket', connection: 'Upgrade' },
});
export const tooMany = failure('rate_limit.exceeded', 429, 'Too many requests; wait a little.');
export const internal = failure(
  'internal',
  500,
  'Something went wrong on our side. The request id helps us find out what.',
);
export const unavailable = failure(
  'database.unavailable',
  503,
  'The database can not be reached right now; try again shortly.',
  { headers: { 'retry-after': '5' } },
);
export const diskFull = failure(
  'service.disk_full',
  503,
  'The disk of the platform is full, so nothing was changed. Its operator has to make room.',
  { headers: { 'retry-after': '60' } },
);

export const stillRunning = failure(
  'idempotency.in_progress',
  409,
  'The first request with this Idempotency-Key is still running.',
);
export const outcomeUnknown = failure(
  'idempotency.outcome_unknown',
  409,
  'The first request with this Idempotency-Key was sent on, and nobody knows how it ended. See whether it had its effect; to send it again, use another key.',
);
export const rightsLost = failure(
  'idempotency.rights_lost',
  409,
  'The first request with this Idempotency-Key was answered, and you have lost a role since, so the answer is not shown again. See whether it had its effect; to send it again, use another key.',
);
export const sessionEnded = failure(
  'idempotency.session_ended',
  409,
  'The first request with this Idempotency-Key was answered with a session that has ended since; sign in again.',
);
export const answerNotKept = failure(
  'idempotency.answer_not_kept',
  409,
  'The first request with this Idempotency-Key was answered, but you have had so many large answers within a day that this one was not kept. See whether it had its effect.',
);
