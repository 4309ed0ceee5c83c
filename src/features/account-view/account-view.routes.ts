import { Type } from 'typebox';
import { type Call, operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { operatorOn, sessionRequired, signedIn } from '#core/policy.ts';
import { findUserIfAny, userNotFound } from '#features/user/user.ts';
import { AccountView, NewAccountView, notViewable } from './account-view.schema.ts';
import { listAccountViews } from './account-view.sql.ts';
import { completeAccountViews, endView, viewAsUser } from './account-view.ts';

const tag = 'operators';
const onUser = operatorOn((db, { user_id }) => findUserIfAny(db, String(user_id)), userNotFound);

export const accountViewOperations = [
  operation({
    id: 'viewAsUser',
    method: 'POST',
    path: '/operator/user/{user_id}/view',
    tag,
    summary:
      'See the platform as a person does, for half an hour and without changing anything; sets a cookie, and the person reads of it in their activity',
    access: onUser,
    params: Type.Object({ user_id: Uuid }),
    body: NewAccountView,
    response: AccountView,
    errors: [notViewable, sessionRequired],
    handle: (call) => viewAsUser(call as Call, call.subject, call.body.reason),
  }),
  operation({
    id: 'listAccountViews',
    method: 'GET',
    path: '/operator/user/{user_id}/view',
    tag,
    summary: "Which operators viewed a person's account, when and why, newest first",
    access: onUser,
    params: Type.Object({ user_id: Uuid }),
    query: Type.Object(PageQuery),
    response: PageOf(AccountView),
    async handle({ db, subject, query, page }) {
      const { count, rows } = await listAccountViews(db, subject.id, query);
      return page(query, count, await completeAccountViews(db, rows));
    },
  }),
  operation({
    id: 'endView',
    method: 'POST',
    path: '/account_view/end',
    tag,
    summary: "End the view of somebody's account that this browser has, if it has one",
    access: { ...signedIn, scope: 'read' },
    endsView: true,
    response: Empty,
    async handle(call) {
      await endView(call as Call);
      return {};
    },
  }),
];
