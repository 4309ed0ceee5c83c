import type { Services } from '#core/services.ts';

/** Ends the editor of a site when it is switched off, and when its team is suspended or expired. What some work takes is ended by its hold. */
export async function endClosedEditors(
  { log, localHost, siteChanges }: Pick<Services, 'log' | 'localHost' | 'siteChanges'>,
  isOpen: (siteId: string) => Promise<boolean>,
): Promise<undefined> {
  const all = Object.values(localHost?.drivers ?? {}).map(({ editors }) => editors);
  const endClosed = async () => {
    for (const editors of all)
      for (const siteId of editors.running) if (!(await isOpen(siteId))) await editors.end(siteId);
  };
  siteChanges.subscribe(() => {
    // Most sites have none, and few run at a time.
    if (all.some(({ running }) => running.length > 0))
      endClosed().catch((error) => log.warn({ err: error }, 'could not end an editor'));
  });
}
