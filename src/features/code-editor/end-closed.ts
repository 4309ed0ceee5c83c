import type { Services } from '#core/services.ts';
import { editorIsOpen } from './code-editor.sql.ts';

/** Ends the editor of a site when it is switched off, and when its team is suspended or expired. What some work takes is ended by its hold. */
export async function endClosedEditors({ db, log, localHost, siteChanges }: Services): Promise<undefined> {
  const all = Object.values(localHost?.drivers ?? {}).map(({ editors }) => editors);
  const endClosed = async () => {
    for (const editors of all)
      for (const siteId of editors.running) if (!(await editorIsOpen(db, siteId))) await editors.end(siteId);
  };
  siteChanges.subscribe(() => {
    // Most sites have none, and few run at a time.
    if (all.some(({ running }) => running.length > 0))
      endClosed().catch((error) => log.warn({ err: error }, 'could not end an editor'));
  });
}
