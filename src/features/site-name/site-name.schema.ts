import { failure } from '#core/errors.ts';
import { siteBusy } from '#features/hold/hold.ts';

export const nameTaken = failure('site.name_taken', 409, 'This name is taken; choose another one.');
export const nameHeld = failure(
  'site.name_held',
  409,
  'Another team had this domain within the last 30 days. If it is yours, prove that with a TXT record and try again.',
);
/** Of whoever wants a name. */
export const nameErrors = [nameTaken, nameHeld, siteBusy];
