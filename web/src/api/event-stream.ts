import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Event, EventPage } from '#sdk';
import { eventsQuery, progressOf } from './events.ts';
import { takeEventsAfter } from './first-answers.ts';
import { meQuery, useMe } from './session.ts';

const url = '/f/api/v1/event/stream';
/** A browser allows six connections to a host over HTTP/1.1, and every tab holds one: tabs in the background give theirs back. */
const hiddenGraceMs = 30_000;
const retryMs = 10_000;

/** Keeps every list in step with what happens elsewhere, for as long as the layout stands. */
export function useEventStream(): void {
  const queryClient = useQueryClient();
  // Whoever views somebody's account is told nothing as it happens.
  const isView = useMe().view !== null;
  useEffect(() => (isView ? undefined : openStream(queryClient)), [queryClient, isView]);
}

function openStream(queryClient: QueryClient): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let interrupted = false;

  function open() {
    clearTimeout(timer);
    if (source) return;
    const after = takeEventsAfter();
    source = new EventSource(after === undefined ? url : `${url}?after=${after}`);
    source.addEventListener('event', (message) => receive(queryClient, JSON.parse(message.data)));
    source.onopen = () => {
      // The stream also ends when the caller's rights change, so anything on screen may be out of date. Before the first opening it is only what moves by
      // itself, and nothing where the stream begins before the page's questions: work that ended between them and now is told to nobody else.
      const stale = interrupted ? [[]] : after === undefined ? [['events'], ['sites']] : [];
      for (const queryKey of stale) void queryClient.invalidateQueries({ queryKey });
      interrupted = false;
    };
    source.onerror = () => {
      interrupted = true;
      // After a refusal (signed out, a restart behind a proxy, a rate limit) EventSource gives up for good; after a mere
      // break it does not.
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      timer = setTimeout(open, retryMs);
    };
  }
  function close() {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    interrupted = true;
  }
  function onVisibility() {
    if (document.hidden) {
      clearTimeout(timer);
      timer = setTimeout(close, hiddenGraceMs);
    } else open();
  }

  document.addEventListener('visibilitychange', onVisibility);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}

/** The first words of an event type, and the query keys that it puts out of date. */
const touched: Record<string, string[]> = {
  team: ['teams'],
  // An unpaid team's sites sleep.
  billing: ['teams', 'sites'],
  member: ['members', 'teams'],
  git_account: ['git-accounts'],
  git: ['sites', 'git-link', 'git-changes'],
  ticket: ['tickets'],
  template: ['templates'],
  site: ['sites', 'teams', 'domains'],
  domain: ['domains', 'sites'],
  external_path: ['sites', 'external-paths'],
  application_password: ['application-passwords'],
  backup: ['sites'],
  webhook: ['webhooks', 'webhook-deliveries'],
  stage: ['sites', 'teams', 'stage-mail'],
  software: ['sites', 'software'],
  restore: ['sites', 'restores', 'restore-previews', 'backups'],
};

function receive(queryClient: QueryClient, event: Event): void {
  queryClient.setQueryData<InfiniteData<EventPage, number>>(eventsQuery.queryKey, (data) => data && place(data, event));
  for (const list of ['team', 'site', 'name']) void queryClient.invalidateQueries({ queryKey: ['events', list] });
  // Mere progress comes several times a second, and puts nothing else out of date.
  if (event.finished_at === null && progressOf(event)) return;
  for (const key of touched[event.event_type.split('.')[0] ?? ''] ?? []) {
    void queryClient.invalidateQueries({ queryKey: [key] });
  }
}

/** The same event comes again when its work goes on or ends; then it takes the place of its former state. */
function place(data: InfiniteData<EventPage, number>, event: Event): InfiniteData<EventPage, number> {
  const known = data.pages.some((page) => page.results.some((item) => item.id === event.id));
  return {
    ...data,
    pages: data.pages.map((page, index) => {
      if (known) return { ...page, results: page.results.map((item) => (item.id === event.id ? event : item)) };
      return index === 0 ? { ...page, count: page.count + 1, results: [event, ...page.results] } : page;
    }),
  };
}
