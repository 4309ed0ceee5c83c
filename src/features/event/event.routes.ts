import { Type } from 'typebox';
import { CURSOR } from '#core/events/hub.ts';
import { operation, streamOperation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { signedIn } from '#core/policy.ts';
import { Event, eventNotFound } from './event.schema.ts';
import { streamEvents } from './event.stream.ts';
import { getEvent, listMyEvents, readEvents } from './event.ts';

const tag = 'events';

export const eventOperations = [
  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/event',
    tag,
    summary: 'What happened in your teams and your account, newest first',
    access: signedIn,
    query: Type.Object({
      fqdn: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 253,
          description: "A site's name, today's or an earlier one: all that happened to it",
        }),
      ),
      ...PageQuery,
    }),
    response: PageOf(Event),
    async handle({ db, caller, query, page }) {
      const { count, events } = await listMyEvents(db, caller, query.fqdn, query);
      return page(query, count, events);
    },
  }),
  streamOperation({
    id: 'streamEvents',
    method: 'GET',
    path: '/event/stream',
    tag,
    summary: 'Events as they happen and as they progress (Server-Sent Events); continues after Last-Event-ID',
    access: signedIn,
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          pattern: CURSOR.source,
          description:
            'The id that the stream begins after, for browsers, which send no Last-Event-ID of their own at first',
        }),
      ),
    }),
    stream: ({ caller, services, query }, response, lastEventId) =>
      streamEvents(services, caller, lastEventId ?? query.after, response),
  }),
  operation({
    id: 'getEvent',
    method: 'GET',
    path: '/event/{event_id}',
    tag,
    summary: 'One event: how far an operation is, or how it ended',
    access: signedIn,
    params: Type.Object({ event_id: Uuid }),
    response: Event,
    errors: [eventNotFound],
    handle: ({ db, caller, params }) => getEvent(db, caller, params.event_id),
  }),
  operation({
    id: 'readEvents',
    method: 'POST',
    path: '/event/read',
    tag,
    summary: 'Mark an event and everything before it as read',
    access: signedIn,
    body: Type.Object({ event_id: Uuid }),
    response: Empty,
    errors: [eventNotFound],
    async handle({ db, caller, body }) {
      await readEvents(db, caller, body.event_id);
      return {};
    },
  }),
];
