import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { invoke } from '#core/http/invoke.ts';
import type { Operation } from '#core/http/operation.ts';
import { createClient } from '#sdk';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
let person: Person;
let operator: Pick<Person, 'api' | 'token' | 'email'>;
before(async () => {
  app = await sharedApp();
  person = await registerPerson(app, 'Ada');
  // An operator of its own, because one test takes the role away from it.
  const { email, userId } = await registerPerson(app, 'Operator');
  await app.services.db.updateTable('users').set({ is_superuser: true }).where('id', '=', userId).execute();
  operator = await signInAs(app, email);
});

/** As a browser does it: the session's cookie, and the one that the answer sets beside it. */
async function beginView(reason = 'Ticket 12', session = operator.token): Promise<string> {
  const response = await fetch(`${app.api}/operator/user/${person.userId}/view`, {
    method: 'POST',
    headers: { cookie: `session=${session}`, origin: app.url, 'content-type': 'application/json' },
    body: JSON.stringify({ reason }),
  });
  assert.equal(response.status, 200);
  const view = response.headers.getSetCookie().find((cookie) => cookie.startsWith('view='));
  assert.match(String(view), /HttpOnly; SameSite=Strict/);
  return `session=${session}; ${view?.split(';')[0]}`;
}

const browserWith = (cookie: string) =>
  createClient({
    baseUrl: app.url,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, cookie, origin: app.url } }),
  });

const call = async ({ method, path }: Operation, cookie: string) => {
  const address = app.api + path.replaceAll(/\{\w+\}/g, 'e0c1f3a4-0000-4000-8000-000000000000');
  const response = await fetch(address, { method, redirect: 'manual', headers: { cookie, origin: app.url } });
  const body = await response.text();
  return { status: response.status, code: body.startsWith('{') ? JSON.parse(body).code : undefined };
};

/**
 * All that can be called in a view, by hand. A new operation that reads is entered here by whoever made sure that it shows no content of a site, opens
 * nothing else and asks nobody in the person's name; else it declares `showsContent`.
 */
const OPEN =
  `checkSiteName getAttachment getBackups getBreakSearch getDomainClaim getEvent getExternalPath getFrontEnd getGitLink getHappenings getInvite
  getMe getMember getMetricsUser getMyAddress getNotifications getPitRestore getProposal getRegion getSite getSiteCdn getSiteUsage getSoftware getSshServer
  getTeam getTeamAttention getTeamBilling getTeamBills getTeamUsage getTemplate getTemplatePicture getTestCheckout getTestPortal getTicket getTicketContext
  getWebhook getWebhookDelivery introspectToken listApiTokens listApplicationPasswords listEvents listExternalPaths listGitAccounts listInvites listMembers
  listMoments listOAuthGrants listPeople listPitFiles listPitRestores listPlans listProposals listRegions listReplies listRestorePoints listSiteDomains
  listSiteEvents listSiteLabels listSiteUse listSiteViews listSites listSshKeys listTeamEvents listTeamTickets listTeams listTemplates listTickets
  listWebhookDeliveries listWebhooks openUnsubscribe verifyDomain`.split(/\s+/);

test('in a view nothing can be called that changes something, stays open or shows what is secret: the whole table of operations', async () => {
  const cookie = await beginView();
  const open: string[] = [];
  for (const operation of app.services.operations.values()) {
    if (operation.id === 'endView' || operation.id === 'signOut') continue;
    const { status, code } = await call(operation, cookie);
    const isRefused = status === 403 && code === 'auth.view_only';
    const mayOnlyRead = operation.method === 'GET' && (operation.effect ?? 'read') === 'read';
    if (!mayOnlyRead || operation.stream || operation.connect)
      assert.ok(isRefused, `${operation.id}: ${status} ${code}`);
    // Those of operators a view refuses otherwise: it is none.
    if (operation.access.who === 'operator') assert.equal(code, isRefused ? code : 'auth.operators_only', operation.id);
    else if (!isRefused) open.push(operation.id);
  }
  assert.deepEqual(open.sort(), OPEN);
});

test('a view sees what the person sees and nothing of the operator, hides secrets, and is no other credential', async () => {
  const cookie = await beginView();
  const view = browserWith(cookie);
  const me = await view.getMe();
  assert.equal(me.email, person.email);
  assert.ok(me.view && new Date(me.view.expires_at).getTime() - Date.now() <= 30 * 60_000);
  assert.deepEqual(
    (await view.listTeams()).results.map(({ id }) => id),
    [person.teamId],
  );
  await assert.rejects(view.listAllUsers(), refused(403, 'auth.operators_only'));
  const { id } = await person.api.createInvite({
    params: { team_id: person.teamId },
    body: { target_email: 'guest@example.com', first_name: 'Guest' },
  });
  assert.equal((await view.getInvite({ params: { invite_id: id } })).link, '');
  const token = String(/view=(\S+)/.exec(cookie)?.[1]);
  await assert.rejects(createClient({ baseUrl: app.url, token }).getMe(), refused(401));
  assert.equal((await person.api.getMe()).view, null);
});

test('who acts in the name of a view from within is refused the same way', async () => {
  const token = String(/view=(\S+)/.exec(await beginView())?.[1]);
  const caller = await app.services.credentials.resolveView(token);
  const within = (id: string, input: object) =>
    invoke(app.services, app.services.operations.get(id) as Operation, caller, { ip: '127.0.0.1', ...input });
  assert.equal((await within('listTeams', {})).status, 200);
  const { status, body } = await within('updateTeam', { params: { team_id: person.teamId }, body: { name: 'Mine' } });
  assert.deepEqual([status, (body as { code: string }).code], [403, 'auth.view_only']);
});

test('the person reads of it, operators see who viewed whom and why', async () => {
  await beginView('They can not see their invoices');
  const event = (await person.api.listEvents()).results.find(({ event_type }) => event_type === 'account.viewed');
  assert.equal(event?.description, 'Reason: They can not see their invoices');
  // Read by the person and by operators, so that it names whose account it was.
  assert.match(event?.activity ?? '', /viewed the account of \w+ Tester/);
  const views = await operator.api.listAccountViews({ params: { user_id: person.userId } });
  assert.deepEqual(
    [views.results[0]?.reason, views.results[0]?.operator.email],
    ['They can not see their invoices', operator.email],
  );
});

test('it ends when it is ended, after its time, with the session it hangs on and with the rights of the operator; then the operator is back', async () => {
  const first = await beginView();
  await browserWith(first).endView();
  assert.equal((await browserWith(first).getMe()).email, operator.email);

  const second = await beginView();
  await sql`update account_views set expires_at = now() where user_id = ${person.userId} and ended_at is null`.execute(
    app.services.db,
  );
  assert.equal((await browserWith(second).getMe()).email, operator.email);

  const other = await signInAs(app, operator.email);
  const third = await beginView('Again', other.token);
  const token = String(/view=(\S+)/.exec(third)?.[1]);
  await other.api.signOut();
  assert.equal(await app.services.credentials.resolveView(token), undefined);

  const fourth = await beginView();
  const seen = await beginView('Once more');
  assert.equal((await browserWith(fourth).getMe()).email, operator.email, 'another view ends the one before');
  await sql`update users set is_superuser = false where email = ${operator.email}`.execute(app.services.db);
  assert.equal((await browserWith(seen).getMe()).view, null);
  await sql`update users set is_superuser = true where email = ${operator.email}`.execute(app.services.db);
});

test('operators can not be viewed, a reason is asked for, and an API token begins no view', async () => {
  const me = await operator.api.getMe();
  const { api } = operator;
  const body = { reason: 'Curious' };
  await assert.rejects(api.viewAsUser({ params: { user_id: me.id }, body }), refused(409, 'account_view.operator'));
  await assert.rejects(api.viewAsUser({ params: { user_id: person.userId }, body: { reason: '' } }), refused(422));
  const script = await api.createApiToken({ body: { name: 'script', scopes: ['read', 'write'] } });
  const program = createClient({ baseUrl: app.url, token: script.token });
  await assert.rejects(
    program.viewAsUser({ params: { user_id: person.userId }, body }),
    refused(403, 'auth.session_required'),
  );
});
