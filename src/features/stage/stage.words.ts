import type { MergeReport } from '#timemachine/process/protocol.ts';
import type { StageSide } from './stage.schema.ts';

/** What a comparison comes to, in words of WordPress. */

type Group = MergeReport['groups'][number];

export const SIDES = { ours: 'live', theirs: 'stage', both: 'both' } as const satisfies Record<
  Group['side'],
  StageSide
>;

const VERBS: Record<StageSide, Record<Group['change'], string>> = {
  live: { added: 'came to live', changed: 'changed on live', removed: 'removed from live' },
  stage: { added: 'new on staging', changed: 'changed on staging', removed: 'removed on staging' },
  both: { added: 'new in both', changed: 'changed in both', removed: 'removed on staging and changed on live' },
};

/** "3 orders came to live". One thing alone is called by its title. */
export function wordsOf({ side, change, count, titles }: Group, [one, many]: [string, string]): string {
  const what = count === 1 ? `1 ${one}${titles[0] ? ` (${titles[0]})` : ''}` : `${count} ${many}`;
  return `${what} ${VERBS[SIDES[side]][change]}`;
}
