import { FIELDS, isInFastTier } from './hostile-urls.ts';
import { walkHostileUrls } from './hostile-walk.ts';

/** Every address on the ways out themselves, and an eighth of them through each field. */
walkHostileUrls(FIELDS, isInFastTier);
