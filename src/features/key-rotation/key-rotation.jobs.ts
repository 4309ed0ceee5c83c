import { jobKind } from '#core/jobs/jobs.ts';
import { endReseal, readResealMoment } from '#core/platform-key.ts';
import type { Services } from '#core/services.ts';
import {
  listStaleColumns,
  listStaleMembers,
  replaceColumn,
  replaceMember,
  type StaleValue,
} from './key-rotation.sql.ts';
import { SEALED_COLUMNS, SEALED_MEMBERS } from './sealed-values.ts';

/**
 * Seals everything anew that is not sealed with the key of today. Each value is written by itself, and only if nobody
 * changed it meanwhile, so the work can be killed at any instant and goes on where it was.
 */
export const resealSecrets = jobKind<Record<string, never>>({
  name: 'secrets.reseal',
  lane: 'background',
  async run(_payload, { services, signal, commit }) {
    const { db, secrets, log } = services;
    const askedAt = await readResealMoment(db);
    let unreadable = 0;
    for (const column of SEALED_COLUMNS)
      unreadable += await reseal(
        services,
        signal,
        (after) => listStaleColumns(db, column, secrets.sealMark, after),
        (stale, sealed) => replaceColumn(db, column, stale, sealed),
      );
    for (const member of SEALED_MEMBERS)
      unreadable += await reseal(
        services,
        signal,
        (after) => listStaleMembers(db, member, secrets.sealMark, after),
        (stale, sealed) => replaceMember(db, member, stale, sealed),
      );
    // The keys before are still needed then; which ones, only an operator can know.
    if (unreadable > 0) throw new Error(`${unreadable} values are sealed with a key that is not configured`);
    await commit(async (tx) => {
      const ended = await endReseal(tx, secrets, askedAt);
      if (ended) log.info('everything is sealed with the key of today');
    });
  },
});

/** Walks one place until nothing is left to do; returns how many values no key opens. */
async function reseal(...place: Parameters<typeof walk>): Promise<number> {
  for (;;) {
    const { renewed, unreadable } = await walk(...place);
    // A row that was written while the walk came by may stand behind it, so the last walk is one that finds nothing.
    if (renewed === 0) return unreadable;
  }
}

async function walk(
  { secrets }: Services,
  signal: AbortSignal,
  list: (after: string) => Promise<StaleValue[]>,
  replace: (stale: StaleValue, sealed: Buffer) => Promise<void>,
): Promise<{ renewed: number; unreadable: number }> {
  let renewed = 0;
  let unreadable = 0;
  let after = '(0,0)';
  for (;;) {
    signal.throwIfAborted();
    const stale = await list(after);
    const last = stale.at(-1);
    if (!last) return { renewed, unreadable };
    for (const value of stale) {
      let plain: Buffer;
      try {
        plain = secrets.open(value.sealed);
      } catch {
        unreadable++;
        continue;
      }
      await replace(value, secrets.seal(plain));
      renewed++;
    }
    after = last.place;
  }
}
