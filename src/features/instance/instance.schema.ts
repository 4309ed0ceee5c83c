import { failure } from '#core/errors.ts';

export const siteNotFound = failure('site.not_found', 404, 'There is no such site, or you are not in its team.');
