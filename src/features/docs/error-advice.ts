/** What to do about an error, where its own sentence does not say so. */
export const ADVICE: Record<string, string> = {
  'auth.required': 'Send `Authorization: Bearer …` with a token that has not expired or been revoked.',
  'auth.forbidden': 'You may see it, but not do this. Ask an owner of the team for another role.',
  'auth.insufficient_scope':
    'Make a token with the scope `write`. One of scope `read` only reads, one of `plan` previews.',
  'request.invalid':
    '`detail` is a list: each entry says where the fault is (`loc`) and what it is (`msg`). All faults are told at once.',
  'request.conflict': 'Read it again and send the change once more.',
  'rate_limit.exceeded':
    'Wait for as many seconds as `Retry-After` says. `RateLimit-Remaining` tells beforehand how much is left.',
  internal: 'This is a bug of ours. Send `request_id` to whoever runs the platform.',
  'site.busy': '`busy` in the site says what has it. Wait for that work: its event tells when it ends.',
  'plan.sites': 'Delete a site, choose a larger plan, or pay for additional sites.',
  'plan.storage': 'Delete what is not needed, or choose a larger plan. Nothing is taken from the site.',
  'idempotency.in_progress': 'Wait a moment and send the same request with the same key again.',
};

export const ADVICE_BY_STATUS: Record<number, string> = {
  402: 'The plan does not have it: make room, or choose a larger plan.',
  404: 'It is not there, or it is not yours: nobody is told which.',
  429: 'Wait a little, then send it again.',
  502: 'Something that this needs failed. It can be tried again.',
  503: 'Try again shortly. Where it says that something is not configured, whoever runs the platform has to set it up.',
  504: 'Something that this needs took too long. It can be tried again.',
};
