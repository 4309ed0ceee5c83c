import type { Services } from '#core/services.ts';
import { deleteProcess, type Hold, insertAnswer, listHolds, noteProcess, type PlatformProcess } from './hold.sql.ts';

/** What a process reads and writes of holds: in the database, or, in the pod of a site, by asking the platform. */
export interface HoldRecords {
  /** Says that a process still runs, which host it has inside and where that can be reached. */
  announce(process: PlatformProcess): Promise<void>;
  leave(processId: string): Promise<void>;
  /** All of them, or those of these sites. */
  list(siteIds: readonly string[] | undefined): Promise<Hold[]>;
  /** This process has let go of the site. */
  answer(hold: Pick<Hold, 'site_id' | 'event_id'>, processId: string): Promise<void>;
  /** Calls back with each site whose record changed, and where some may have been missed. */
  follow(changed: (siteId: string) => void, missed: () => void): Promise<void>;
}

export const holdRecords = ({ db, listener }: Pick<Services, 'db' | 'listener'>): HoldRecords => ({
  announce: async (process) => void (await noteProcess(db, process)),
  leave: (processId) => deleteProcess(db, processId),
  list: (siteIds) => listHolds(db, siteIds),
  answer: (hold, processId) => insertAnswer(db, hold, processId),
  async follow(changed, missed) {
    await listener.on('site_changed', changed);
    listener.onReconnect(missed);
  },
});
