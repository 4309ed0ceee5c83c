import { moveText } from '#runtimes/wordpress/address.ts';
import { TimeMachineFailure } from '../failure.ts';
import { addressesBy } from '../merge/addresses.ts';
import { idOfComparison } from '../merge/comparison.ts';
import { mergingBy } from '../merge/merge-rules.ts';
import { type MergePlan, planMerge } from '../merge/plan-merge.ts';
import type { Repository } from '../repository.ts';
import type { Snapshot } from '../snapshot.ts';
import { inWordsOf } from '../sources/kinds/convert-tables.ts';
import { databaseOf } from '../sources/open-database.ts';
import type { MergeWish, RestoreWish, SitePlace } from './protocol.ts';

export function isMerge(wish: RestoreWish | MergeWish): wish is MergeWish {
  return 'copy' in wish;
}

/** What a wish means for the site as it is now. Site and copy are of one space, so that the site may read what the copy has. */
export async function planMergeOf(
  repository: Repository,
  { space, site, database: description, staging }: Pick<SitePlace, 'space' | 'site' | 'database' | 'staging'>,
  now: Snapshot,
  wish: MergeWish,
): Promise<MergePlan> {
  const [own, copy] = [repository.site(space, site), repository.site(space, wish.copy.site)];
  const database = databaseOf(description);
  // The site may have moved to another kind of database since its copy was made.
  const alike = (snapshot: Snapshot) => inWordsOf(database, own, snapshot, `${staging}-words`);
  const states = {
    ours: { base: await alike(await own.readNamed(wish.base)), now: await alike(now) },
    theirs: {
      base: await alike(await copy.readNamed(wish.copy.base)),
      now: await alike(await copy.readNamed(wish.copy.now)),
    },
  };
  const { shapeOf, withNumbersOf } = database;
  return planMerge(own, states, {
    addresses: addressesBy(wish.addresses, moveText),
    rules: mergingBy(wish.rules),
    shapeOf,
    withNumbersOf,
    isReplaced: wish.isReplaced,
    conflictsTo: wish.conflicts === 'ours' ? 'ours' : 'theirs',
    keepTables: wish.keepTables,
    takeTables: wish.takeTables,
    keepFiles: wish.keepFiles,
  });
}

/** Why a merge is not done that nobody has agreed to; undefined where it can be. */
export function refusalOf({ comparison }: MergePlan, wish: MergeWish): TimeMachineFailure | undefined {
  if (wish.plan !== null && wish.plan !== idOfComparison(comparison))
    return new TimeMachineFailure('moved_on', 'The site or its copy has changed since they were compared');
  if (wish.isReplaced) return undefined;
  const [kept, taken] = [new Set(wish.keepTables), new Set(wish.takeTables)];
  const tables = comparison.tables.filter(({ name }) => !kept.has(name));
  const unanswered = tables.filter(({ name, problem }) => problem && !taken.has(name)).map(({ name }) => name);
  if (unanswered.length > 0) return inConflict('These tables can not be merged row by row', unanswered);
  const clashes = tables.filter(({ rows }) => rows.some((row) => row.side === 'both' && !row.theirs?.before));
  if (clashes.length > 0 && wish.conflicts === 'refuse')
    return inConflict(
      'Both sides have added something else under the same number or name',
      clashes.map(({ name }) => name),
    );
  if (wish.conflicts !== 'refuse') return undefined;
  const isKept = (path: string) => wish.keepFiles.some((each) => path === each || path.startsWith(`${each}/`));
  const files = comparison.files.filter(({ side, path }) => side === 'both' && !isKept(path)).map(({ path }) => path);
  const changed = tables.filter(({ rows }) => rows.some(({ side }) => side === 'both')).map(({ name }) => name);
  return files.length + changed.length > 0 ? inConflict('Changed on both sides', [...changed, ...files]) : undefined;
}

const NAMED = 10;

function inConflict(what: string, names: string[]): TimeMachineFailure {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return new TimeMachineFailure('in_conflict', `${what}: ${names.slice(0, NAMED).join(', ')}${more}`);
}
