import { moveText } from '#runtimes/wordpress/address.ts';
import { TimeMachineFailure } from '../failure.ts';
import { addressesBy } from '../merge/addresses.ts';
import { idOfComparison } from '../merge/comparison.ts';
import { mergingBy } from '../merge/merge-rules.ts';
import { type MergePlan, planMerge } from '../merge/plan-merge.ts';
import type { Repository } from '../repository.ts';
import type { Snapshot } from '../snapshot.ts';
import { databaseOf } from '../sources/open-database.ts';
import type { MergeWish, RestoreWish, SitePlace } from './protocol.ts';

export function isMerge(wish: RestoreWish | MergeWish): wish is MergeWish {
  return 'copy' in wish;
}

/** What a wish means for the site as it is now. Site and copy are of one space, so that the site may read what the copy has. */
export async function planMergeOf(
  repository: Repository,
  { space, site, database }: Pick<SitePlace, 'space' | 'site' | 'database'>,
  now: Snapshot,
  wish: MergeWish,
): Promise<MergePlan> {
  const [own, copy] = [repository.site(space, site), repository.site(space, wish.copy.site)];
  const states = {
    ours: { base: await own.readNamed(wish.base), now },
    theirs: { base: await copy.readNamed(wish.copy.base), now: await copy.readNamed(wish.copy.now) },
  };
  return planMerge(own, states, {
    addresses: addressesBy(wish.addresses, moveText),
    rules: mergingBy(wish.rules),
    shapeOf: databaseOf(database).shapeOf,
    isReplaced: wish.isReplaced,
    conflictsTo: wish.conflicts === 'ours' ? 'ours' : 'theirs',
    keepTables: wish.keepTables,
    takeTables: wish.takeTables,
    keepFiles: wish.keepFiles,
  });
}

/** Refuses what nobody has agreed to. */
export function assertAgreed({ comparison }: MergePlan, wish: MergeWish): void {
  if (wish.plan !== null && wish.plan !== idOfComparison(comparison))
    throw new TimeMachineFailure('moved_on', 'The site or its copy has changed since they were compared');
  const answered = new Set([...wish.keepTables, ...wish.takeTables]);
  const open = comparison.tables.filter(
    ({ name, problem, theirs }) => problem && theirs !== 'added' && !answered.has(name),
  );
  if (open.length > 0 && !wish.isReplaced)
    throw new TimeMachineFailure(
      'in_conflict',
      `These tables can not be merged: ${open.map(({ name }) => name).join(', ')}`,
    );
  if (wish.conflicts !== 'refuse' || wish.isReplaced) return;
  const isKept = (path: string) => wish.keepFiles.some((each) => path === each || path.startsWith(`${each}/`));
  const files = comparison.files.filter(({ side, path }) => side === 'both' && !isKept(path)).map(({ path }) => path);
  const rows = comparison.tables.flatMap(({ name, rows: all }) =>
    all.filter(({ side }) => side === 'both').map(() => name),
  );
  if (files.length + rows.length > 0)
    throw new TimeMachineFailure(
      'in_conflict',
      `Changed on both sides: ${[...new Set([...rows, ...files])].slice(0, 10).join(', ')}`,
    );
}
