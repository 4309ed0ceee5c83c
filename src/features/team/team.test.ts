import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pg from 'pg';
import { createClient } from '#sdk';
import { letIn, PASSWORD, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { insertSite, newFqdn } from '#testkit/app/sites.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

test('teams are those one owns or belongs to, newest first, in the page envelope', async () => {
  const owner = await registerPerson(app, 'Owner');
  const guest = await registerPerson(app, 'Guest');
  await letIn(owner, guest, 'viewer');
  const page = await guest.api.listTeams({ query: { size: 1 } });
  assert.equal(page.count, 2);
  assert.equal(page.limit, 1);
  assert.equal(page.offset, 0);
  assert.equal(page.previous, null);
  assert.equal(page.results[0]?.id, guest.teamId);
  assert.equal(page.next, `${app.url}/f/api/v1/team?size=1&page=2`);
  const next = await fetch(page.next as string, { headers: { authorization: `Bearer ${guest.token}` } });
  const second = (await next.json()) as typeof page;
  assert.equal(second.results[0]?.id, owner.teamId);
  assert.equal(second.next, null);
  assert.equal(second.previous, `${app.url}/f/api/v1/team?size=1&page=1`);
  const beyond = await guest.api.listTeams({ query: { page: 9, size: 1 } });
  assert.deepEqual([beyond.count, beyond.results.length], [2, 0]);
});

test('usage percentages come from the counters and the figures of the plan', async () => {
  const owner = await registerPerson(app);
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('update teams set current_cycle_visits = 2500, storage_usage = 123456789 where id = $1', [
    owner.teamId,
  ]);
  const team = await owner.api.getTeam({ params: { team_id: owner.teamId } });
  assert.equal(team.visits_usage_percentage, 25);
  assert.equal(team.storage_usage_percentage, 12);
  await client.query("update teams set plan_type_name = 'micro' where id = $1", [owner.teamId]);
  await client.end();
  const upgraded = await owner.api.getTeam({ params: { team_id: owner.teamId } });
  assert.equal(upgraded.visits_usage_percentage, 5);
  assert.equal(upgraded.storage_usage_percentage, 1);
  assert.equal(upgraded.should_allow_storefront_payment, true);
});

test('the owner changes name and time zone; a wrong zone is refused and nothing changes', async () => {
  const owner = await registerPerson(app);
  const params = { team_id: owner.teamId };
  const team = await owner.api.updateTeam({ params, body: { name: '  Bakers ', timezone: 'Europe/Berlin' } });
  assert.equal(team.name, 'Bakers');
  assert.equal(team.timezone, 'Europe/Berlin');
  await assert.rejects(
    owner.api.updateTeam({ params, body: { name: 'Other', timezone: 'Mars/Olympus' } }),
    refused(422),
  );
  assert.equal((await owner.api.getTeam({ params })).name, 'Bakers');
  const events = await owner.api.listTeamEvents({ params });
  assert.equal(events.results[0]?.event_type, 'team.updated');
});

test('members are listed with the owner; one is read by membership id and removed by user id', async () => {
  const owner = await registerPerson(app);
  const guest = await registerPerson(app);
  await letIn(owner, guest, 'admin');
  const params = { team_id: owner.teamId };
  const members = await owner.api.listMembers({ params });
  assert.deepEqual(
    members.results.map(({ role, level }) => [role, level]),
    [
      ['admin', 20],
      ['owner', 30],
    ],
  );
  const member = members.results[0];
  assert.equal(
    (await guest.api.getMember({ params: { ...params, team_member_id: member?.id as string } })).user.email,
    guest.email,
  );
  await owner.api.removeMember({ params: { ...params, team_member_user_id: guest.userId } });
  await assert.rejects(guest.api.getTeam({ params }), refused(404, 'team.not_found'));
  await assert.rejects(
    owner.api.getMember({ params: { ...params, team_member_id: member?.id as string } }),
    refused(404, 'member.not_found'),
  );
});

test('a member may leave, may not remove others, and the owner can not be removed', async () => {
  const owner = await registerPerson(app);
  const viewer = await registerPerson(app);
  const admin = await registerPerson(app);
  await letIn(owner, viewer, 'viewer');
  await letIn(owner, admin, 'admin');
  const remove = (by: typeof owner, userId: string) =>
    by.api.removeMember({ params: { team_id: owner.teamId, team_member_user_id: userId } });
  await assert.rejects(remove(admin, viewer.userId), refused(403));
  await assert.rejects(remove(owner, owner.userId), refused(409, 'member.is_owner'));
  assert.deepEqual(await remove(viewer, viewer.userId), {});
  await assert.rejects(viewer.api.getTeam({ params: { team_id: owner.teamId } }), refused(404));
});

test('a member is removed once, however many try at once', async () => {
  const owner = await registerPerson(app);
  const guest = await registerPerson(app);
  await letIn(owner, guest, 'member');
  const params = { team_id: owner.teamId, team_member_user_id: guest.userId };
  const tries = await Promise.allSettled(Array.from({ length: 6 }, () => owner.api.removeMember({ params })));
  assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
  const { results } = await owner.api.listTeamEvents({ params: { team_id: owner.teamId } });
  assert.equal(results.filter(({ event_type }) => event_type === 'member.removed').length, 1);
});

test('an invite is mailed, shown to its owner, joins once, and is bound to its address', async () => {
  const owner = await registerPerson(app);
  const guest = await registerPerson(app);
  const other = await registerPerson(app);
  const params = { team_id: owner.teamId };
  const invite = await owner.api.createInvite({
    params,
    body: { target_email: guest.email, first_name: 'Guest', message: 'Welcome!' },
  });
  assert.equal(invite.role, 'member');
  const mail = await app.mailTo(guest.email, 'invites you');
  assert.ok(mail.includes('/invite?token=') && mail.includes('Welcome!'));
  assert.ok(!mail.includes(invite.link), 'only the mailed link shows that the address is theirs');
  const week = new Date(invite.expiry).getTime() - new Date(invite.created_at).getTime();
  assert.equal(week, 7 * 24 * 3600 * 1000);
  assert.equal((await owner.api.getInvite({ params: { invite_id: invite.id } })).link, invite.link);
  const token = new URL(invite.link).searchParams.get('token') as string;
  assert.equal((await other.api.inspectInvite({ body: { token } })).target_email, guest.email);

  await assert.rejects(other.api.acceptInvite({ body: { token } }), refused(403, 'invite.other_address'));
  const altered = `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`;
  await assert.rejects(guest.api.acceptInvite({ body: { token: altered } }), refused(404));
  const both = await Promise.allSettled([
    guest.api.acceptInvite({ body: { token } }),
    guest.api.acceptInvite({ body: { token } }),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal((await owner.api.listInvites({ params })).count, 0);
});

test('an address has one open invite, a member none, and a withdrawn one does not join', async () => {
  const owner = await registerPerson(app);
  const guest = await registerPerson(app);
  const params = { team_id: owner.teamId };
  const body = { target_email: guest.email, first_name: 'Guest' };
  const invite = await owner.api.createInvite({ params, body });
  await assert.rejects(owner.api.createInvite({ params, body }), refused(409, 'invite.exists'));
  await owner.api.deleteInvite({ params: { ...params, team_member_invite_id: invite.id } });
  const token = new URL(invite.link).searchParams.get('token') as string;
  await assert.rejects(guest.api.acceptInvite({ body: { token } }), refused(404, 'invite.not_found'));
  await letIn(owner, guest, 'viewer');
  await assert.rejects(owner.api.createInvite({ params, body }), refused(409, 'member.exists'));
});

test('an expired invite does not join, and makes room for a new one', async () => {
  const owner = await registerPerson(app);
  const guest = await registerPerson(app);
  const params = { team_id: owner.teamId };
  const body = { target_email: guest.email, first_name: 'Guest' };
  const invite = await owner.api.createInvite({ params, body });
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query("update team_invites set expiry = now() - interval '1 second' where id = $1", [invite.id]);
  await client.end();
  const token = new URL(invite.link).searchParams.get('token') as string;
  await assert.rejects(guest.api.acceptInvite({ body: { token } }), refused(409, 'invite.expired'));
  await owner.api.createInvite({ params, body });
});

test('an operator sees every team and suspends one; the team hears of it', async () => {
  const owner = await registerPerson(app);
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  assert.ok((await operator.api.listAllTeams({ query: { size: 100 } })).results.some(({ id }) => id === owner.teamId));
  await operator.api.suspendTeam({ params: { team_id: owner.teamId }, body: { is_active: false } });
  assert.equal((await owner.api.getTeam({ params: { team_id: owner.teamId } })).is_active, false);
  const [event] = (await owner.api.listTeamEvents({ params: { team_id: owner.teamId } })).results;
  assert.equal(event?.activity, 'The platform suspended the team');
  await assert.rejects(owner.api.listAllTeams(), refused(403, 'auth.operators_only'));
});

test('members and invites are one list, by name, found by a part of it; roles are changed in place', async () => {
  const owner = await registerPerson(app, 'Zoe');
  const [anna, bert] = [await registerPerson(app, 'Anna'), await registerPerson(app, 'Bert')];
  await letIn(owner, anna, 'member');
  await letIn(owner, bert, 'viewer');
  const params = { team_id: owner.teamId };
  const invited = await owner.api.createInvite({
    params,
    body: { target_email: 'new@zoes-team.example.com', first_name: 'New' },
  });
  const list = async (by: typeof owner, search?: string) =>
    (await by.api.listPeople({ params, query: { ...(search && { search }) } })).results;
  const shown = (await list(owner)).map(({ kind, role, full_name }) => `${kind} ${role} ${full_name}`);
  const [theOwner, theInvite, first, second] = [
    'member owner Zoe Tester',
    'invite member New',
    'member member Anna Tester',
    'member viewer Bert Tester',
  ];
  assert.deepEqual(shown, [theOwner, theInvite, first, second]);
  assert.deepEqual(
    (await list(owner, 'BERT')).map(({ email }) => email),
    [bert.email],
  );
  assert.equal((await list(anna)).length, 3, 'who is invited is for the owner alone');
  const { count, results } = await owner.api.listPeople({ params, query: { page: 9, size: 2 } });
  assert.deepEqual([count, results], [4, []]);

  const [, , { id: annaId } = { id: '' }] = await list(owner);
  await owner.api.updateMember({ params: { ...params, team_member_id: annaId }, body: { role: 'admin' } });
  await owner.api.updateInvite({ params: { ...params, team_member_invite_id: invited.id }, body: { role: 'viewer' } });
  assert.equal((await anna.api.getTeam({ params })).role, 'admin');
  assert.equal((await list(owner, 'new@'))[0]?.role, 'viewer');
  const ownersId = (await list(owner))[0]?.id as string;
  const demote = owner.api.updateMember({ params: { ...params, team_member_id: ownersId }, body: { role: 'viewer' } });
  await assert.rejects(demote, refused(409, 'member.is_owner'));
  const neither = owner.api.updateMember({ params: { ...params, team_member_id: annaId }, body: {} });
  await assert.rejects(neither, refused(422));
});

test('an invite for some sites lets in at those alone, and into the whole team when the owner says so', async () => {
  const owner = await registerPerson(app);
  const guest = await registerPerson(app);
  const siteId = await insertSite(app, owner);
  const other = newFqdn();
  await insertSite(app, owner, { fqdn: other });
  const params = { team_id: owner.teamId };
  const body = { target_email: guest.email, first_name: 'Guest', role: 'viewer' as const, site_ids: [siteId] };
  const invite = await owner.api.createInvite({ params, body });
  const token = new URL(invite.link).searchParams.get('token') as string;
  const team = await guest.api.acceptInvite({ body: { token } });
  assert.deepEqual([team.role, team.is_limited], [null, true]);
  assert.deepEqual(
    (await guest.api.listSites({ query: params })).results.map(({ id }) => id),
    [siteId],
  );
  assert.equal((await guest.api.listSites({ query: params })).results[0]?.team.role, 'viewer');
  await assert.rejects(guest.api.getSite({ params: { fqdn: other } }), refused(404, 'site.not_found'));
  await assert.rejects(guest.api.listMembers({ params }), refused(403, 'auth.forbidden'));
  const [member] = (await owner.api.listPeople({ params, query: { search: guest.email } })).results;
  assert.deepEqual([member?.role, member?.site_count], ['limited', 1]);
  await owner.api.updateMember({ params: { ...params, team_member_id: member?.id ?? '' }, body: { role: 'member' } });
  assert.equal((await guest.api.getSite({ params: { fqdn: other } })).fqdn, other);
});

test('a team is transferred with the password, both are mailed, and the one before stays as an admin', async () => {
  const owner = await registerPerson(app, 'Olga');
  const next = await registerPerson(app, 'Nils');
  await letIn(owner, next, 'viewer');
  const params = { team_id: owner.teamId };
  const give = (password: string) => owner.api.transferTeam({ params, body: { user_id: next.userId, password } });
  await assert.rejects(give('not the password'), refused(422));
  await assert.rejects(give(PASSWORD), refused(409, 'team.new_owner_has_free'));
  await next.api.deleteTeam({ params: { team_id: next.teamId }, body: { password: PASSWORD } });
  const block = (is_active: boolean) =>
    app.services.db.updateTable('users').set({ is_active }).where('id', '=', next.userId).execute();
  await block(false);
  await assert.rejects(give(PASSWORD), refused(409, 'team.new_owner_blocked'));
  await block(true);
  const team = await give(PASSWORD);
  assert.deepEqual([team.user.id, team.role], [next.userId, 'admin']);
  assert.equal((await next.api.getTeam({ params })).role, 'owner');
  assert.match(await app.mailTo(owner.email, 'You transferred'), /to Nils Tester/);
  assert.match(await app.mailTo(next.email, 'is yours now'), /Olga Tester/);
});

test('a deleted team is gone for everybody, with its sites; its owner can have a free one again', async () => {
  const owner = await registerPerson(app);
  const member = await registerPerson(app);
  await letIn(owner, member, 'admin');
  const fqdn = newFqdn();
  await insertSite(app, owner, { fqdn });
  const params = { team_id: owner.teamId };
  await assert.rejects(owner.api.deleteTeam({ params, body: { password: 'wrong' } }), refused(422));
  await owner.api.deleteTeam({ params, body: { password: PASSWORD } });
  for (const { api } of [owner, member]) {
    await assert.rejects(api.getTeam({ params }), refused(404, 'team.not_found'));
    await assert.rejects(api.getSite({ params: { fqdn } }), refused(404, 'site.not_found'));
  }
  assert.equal((await owner.api.listTeams()).count, 0);
  await owner.api.createCheckoutSession({ body: { new_team_name: 'Again', plan_name: 'free' } });
  assert.equal((await owner.api.listTeams()).count, 1);
});

test('a deleted account can not sign in, its teams are gone, and its address is free', async () => {
  const person = await registerPerson(app);
  const host = await registerPerson(app);
  await letIn(host, person, 'member');
  await person.api.deleteAccount({ body: { password: PASSWORD } });
  await assert.rejects(person.api.getMe(), refused(401));
  await assert.rejects(signInAs(app, person.email), refused(401));
  const people = await host.api.listPeople({ params: { team_id: host.teamId } });
  assert.equal(people.count, 1);
  const body = { email: person.email, password: PASSWORD, first_name: 'New', last_name: 'Comer' };
  assert.equal((await createClient({ baseUrl: app.url }).register({ body })).email, person.email);
});
