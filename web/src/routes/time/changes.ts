import type { PitPreview } from '#sdk';

/** What a restore would change. */
type Changes = PitPreview['changes'];
export type FileChange = Changes['files'][number];
export type TableChange = Changes['tables'][number];
