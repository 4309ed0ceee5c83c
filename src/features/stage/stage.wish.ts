import type { Services } from '#core/services.ts';
import { withoutLastSlashes } from '#core/slashes.ts';
import { type SiteRow, siteUrl } from '#features/instance/instance.ts';
import { mergeRules } from '#runtimes/wordpress/merge-rules.ts';
import type { MergeWish, SnapshotName } from '#timemachine/process/protocol.ts';
import type { CommitStage } from './stage.schema.ts';
import type { Bases } from './stage.sql.ts';

/** A live site and its stage. */
export interface Pair {
  live: SiteRow;
  stage: SiteRow;
}

const CONFLICTS = { stage: 'theirs', live: 'ours', refuse: 'refuse' } as const;

/** What somebody wants of a stage, in words of the time machine: the live site is ours, the stage is theirs. */
export function wishOf(
  services: Services,
  { live, stage }: Pair,
  bases: Bases,
  now: SnapshotName,
  choice: CommitStage,
): MergeWish {
  return {
    base: bases.live,
    copy: { site: stage.id, base: bases.stage, now },
    addresses: {
      ours: siteUrl(services, live.fqdn),
      oursThen: siteUrl(services, bases.liveFqdn),
      theirs: siteUrl(services, stage.fqdn),
    },
    rules: mergeRules(live.db_prefix),
    isReplaced: choice.mode === 'replace',
    conflicts: CONFLICTS[choice.on_conflict ?? 'refuse'],
    keepTables: choice.keep_tables ?? [],
    takeTables: choice.take_tables ?? [],
    keepFiles: (choice.keep_files ?? []).map(withoutLastSlashes),
    plan: choice.plan ?? null,
  };
}
