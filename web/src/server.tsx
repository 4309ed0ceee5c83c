import { AsyncLocalStorage } from 'node:async_hooks';
import { createMemoryHistory } from '@tanstack/react-router';
import { renderToString } from 'preact-render-to-string';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { beginEarly, createAppRouter } from './router.tsx';
import { type Clock, drawnFor, findVisitBy, type Visit } from './visit.ts';

/** Somebody who opens a page of the dashboard, as far as the request tells. The service has the same words (src/core/http/front-end.ts). */
export interface Visitor {
  /** Of the page, with its host. */
  address: string;
  userAgent: string;
  clock: Clock;
  chosenTeam: string | undefined;
  /** JSON by the address that the page would ask at. */
  answers: ReadonlyMap<string, string>;
}

const visits = new AsyncLocalStorage<Visit>();
findVisitBy(() => {
  const visit = visits.getStore();
  if (!visit) throw new Error('this page is drawn for nobody');
  return visit;
});

/** What the dashboard would draw first in the browser, as HTML, and for whom; undefined where the answers are not all there. */
export function draw(visitor: Visitor): Promise<{ html: string; drawnFor: string } | undefined> {
  const { address, userAgent, clock, chosenTeam, answers } = visitor;
  const { origin, pathname, search } = new URL(address);
  let isWhole = true;
  const visit: Visit = {
    origin,
    userAgent,
    clock,
    chosenTeam,
    hasSession: true,
    answers: new Map([...answers].map(([question, json]) => [question, JSON.parse(json)])),
    eventsAfter: undefined,
    fetch: async () => {
      isWhole = false;
      throw new Error('not among the first answers');
    },
  };
  return visits.run(visit, async () => {
    const queryClient = createQueryClient(0);
    const router = createAppRouter(queryClient, createMemoryHistory({ initialEntries: [pathname + search] }));
    await beginEarly(router);
    if (!isWhole) return undefined;
    await router.load();
    const { resolvedLocation, matches } = router.state;
    // An address that leads elsewhere is the browser's to follow.
    if (!isWhole || !resolvedLocation || matches.some(({ status }) => status !== 'success')) return undefined;
    return { html: renderToString(<App queryClient={queryClient} router={router} />), drawnFor: drawnFor(visit) };
  });
}
