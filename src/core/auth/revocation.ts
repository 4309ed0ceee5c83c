import { afterCommit, type Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';

/**
 * What this process remembers of a user's rights must not outlive the commit that changed them. Other processes hear
 * of it from the database a moment later.
 */
export function rightsChanged(db: Db, services: Services, userId: string): void {
  afterCommit(db, () => {
    services.credentials.forget(userId);
    services.events.endStreamsOf(userId);
  });
}
