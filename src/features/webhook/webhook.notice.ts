import type { DisabledReason } from './webhook.schema.ts';

/** Why the platform switched a webhook off, as the end of a sentence. */
export const SWITCHED_OFF_BECAUSE: Record<DisabledReason, string> = {
  gone: 'it answered 410, which says that it wants no more calls',
  failing: 'it has taken no call for 5 days',
  person_left: 'the person who set it up no longer manages the team',
};
