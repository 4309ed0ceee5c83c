import { hashToken, newToken } from '#core/auth/tokens.ts';
import type { Db } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import { viewCookie } from '#core/http/asker.ts';
import type { Call } from '#core/http/operation.ts';
import { sessionRequired } from '#core/policy.ts';
import { type User, usersById } from '#features/user/user.ts';
import { type AccountView, notViewable } from './account-view.schema.ts';
import { type AccountViewRow, endAccountViews, insertAccountView } from './account-view.sql.ts';

const VIEW_SECONDS = 30 * 60;

/**
 * From now on the operator's browser sees the platform as the person does. Their session stays and is what the view hangs on; its token is in
 * a cookie alone. The person reads of it at once.
 */
export async function viewAsUser(call: Call, person: User, reason: string): Promise<AccountView> {
  const { db, services, caller } = call;
  if (caller.credential.kind !== 'session') throw sessionRequired();
  if (person.is_superuser) throw notViewable();
  const token = newToken();
  await endAccountViews(db, { operator_id: caller.userId, session_id: caller.credential.id });
  const row = await insertAccountView(db, {
    token_hash: hashToken(token),
    user_id: person.id,
    operator_id: caller.userId,
    session_id: caller.credential.id,
    reason: reason.trim(),
    seconds: VIEW_SECONDS,
  });
  await recordEvent(db, {
    scope: 'account',
    event_type: 'account.viewed',
    activity: `${caller.fullName} of the platform viewed the account of ${person.full_name}, without being able to change anything`,
    description: `Reason: ${row.reason}`,
    // What happens to an account is shown to whose it is.
    by: { userId: person.id },
    item_id: row.id,
    detail: { operator_id: caller.userId, until: row.expires_at },
  });
  call.cookies.push(viewCookie(services.config.baseUrl, token, VIEW_SECONDS));
  return (await completeAccountViews(db, [row]))[0] as AccountView;
}

/** Without a view there is nothing to end. */
export async function endView({ db, services, caller, cookies }: Call): Promise<void> {
  if (caller.viewedBy !== undefined) await endAccountViews(db, { id: caller.credential.id });
  cookies.push(viewCookie(services.config.baseUrl, '', 0));
}

export async function completeAccountViews(db: Db, rows: AccountViewRow[]): Promise<AccountView[]> {
  const people = await usersById(
    db,
    rows.map((row) => row.operator_id),
  );
  return rows.map((row) => ({ ...row, operator: people.get(row.operator_id) as User }));
}
