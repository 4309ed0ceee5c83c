import type { Repository } from '../repository.ts';
import { readJournal } from '../restore/journal.ts';
import { recover } from '../restore/recover.ts';
import { databaseOf } from '../sources/open-database.ts';
import { diskOperations } from '../stores/file-operations.ts';
import { keepingBy } from './keep-rules.ts';
import { hasFolder } from './lost-site.ts';
import type { Recovery, SitePlace } from './protocol.ts';

/** Ends what a restore that was killed began, in one way or the other. */
export async function recoverSite(repository: Repository, place: SitePlace): Promise<Recovery> {
  const from = repository.site(place.space, place.site);
  const { content: folder, staging } = place;
  // Nothing is left to finish where the site is gone with all that was placed in it; what is staged would be half of it.
  if (!(await hasFolder(place))) {
    const wasBegun = await readJournal(staging);
    await diskOperations.remove(staging);
    // Its tables may be those of the point already.
    return wasBegun ? 'lost' : 'undone';
  }
  // The database may be what is broken; where nothing was begun it is not needed.
  if (!(await readJournal(staging))) return recover({ repository: from, folder, staging });
  const database = databaseOf(place.database);
  const source = database.source(keepingBy(place.rules).isTracked);
  const target = await database.openTarget();
  try {
    return await recover({ repository: from, folder, staging, tables: { source, target } });
  } finally {
    await target.close();
    await source.close();
  }
}
