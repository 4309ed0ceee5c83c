import { operation, rawOperation } from '#core/http/operation.ts';
import { Empty } from '#core/http/schema.ts';
import { anyone, forAccount, signedIn } from '#core/policy.ts';
import {
  NotificationChange,
  Notifications,
  OneClick,
  UnsubscribeQuery,
  unsubscribeInvalid,
} from './notification.schema.ts';
import { getNotifications, unsubscribe, updateNotifications } from './notification.ts';

const tag = 'account';

export const notificationOperations = [
  operation({
    id: 'getNotifications',
    method: 'GET',
    path: '/me/notifications',
    tag,
    summary: 'Which mails you get',
    access: signedIn,
    response: Notifications,
    handle: ({ db, caller }) => getNotifications(db, caller.userId),
  }),
  operation({
    id: 'updateNotifications',
    method: 'PATCH',
    path: '/me/notifications',
    tag,
    summary: 'Choose which mails you get; what your account or a site could be lost by is always sent',
    access: forAccount,
    body: NotificationChange,
    response: Notifications,
    handle: ({ db, caller, body }) => updateNotifications(db, caller, body),
  }),
  operation({
    id: 'unsubscribe',
    method: 'POST',
    path: '/unsubscribe',
    tag,
    summary: 'Get no more mails of a kind, with the link in one of them (RFC 8058)',
    access: anyone,
    accepts: ['form', 'json'],
    query: UnsubscribeQuery,
    body: OneClick,
    response: Empty,
    errors: [unsubscribeInvalid],
    async handle({ db, services, query }) {
      await unsubscribe(db, services, query.kind, query.token);
      return {};
    },
  }),
  rawOperation({
    id: 'openUnsubscribe',
    method: 'GET',
    path: '/unsubscribe',
    tag,
    summary: 'Where a mail program that knows no one-click opens the same link: the page that asks',
    access: anyone,
    query: UnsubscribeQuery,
    also: { 302: { description: 'To the page', headers: { location: 'Its address' } } },
    // A look changes nothing: programs that follow every link in a mail must not unsubscribe anybody.
    serve: async ({ services, query }, _request, reply) =>
      reply.redirect(`${services.config.baseUrl}/unsubscribe?${new URLSearchParams({ ...query })}`, 302),
  }),
];
