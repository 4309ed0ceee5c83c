import { failure } from '#core/errors.ts';

export const siteNotFound = failure('site.not_found', 404, 'There is no such site, or you are not in its team.');
export const stageMissing = failure('stage.missing', 404, 'The site has no staging site.');
