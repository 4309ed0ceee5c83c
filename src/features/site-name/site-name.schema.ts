import { failure } from '#core/errors.ts';
import { siteBusy } from '#features/hold/hold.ts';

export const nameTaken = failure('site.name_taken', 409, 'This name is taken; choose another one.');
export const nameHeld = failure(
  'site.name_held',
  409,
  'Another team had this domain within the last 30 days. If it is yours, prove that with a TXT record and try again.',
);
/** A name is looked at and has a certificate of its own; the old one of each rename counts. */
export const MAX_NAMES = 50;
export const tooManyNames = failure(
  'site.too_many_names',
  409,
  'The site has 50 domains, old names included; remove some first.',
);
/** Of whoever wants a name. */
export const nameErrors = [nameTaken, nameHeld, siteBusy];
/** Of whoever wants a further one. */
export const furtherNameErrors = [...nameErrors, tooManyNames];
