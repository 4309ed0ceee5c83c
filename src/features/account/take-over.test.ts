import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import pg from 'pg';
import { createClient } from '#sdk';
import { letIn, markVerified, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { CMS, holdSite, insertSite, newFqdn, newSite } from '#testkit/app/sites.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

/** An account that somebody made on an address of somebody else, and what becomes of it. */
let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const NEW_PASSWORD = 'a password of my own';
const anonymous = () => createClient({ baseUrl: app.url });
const linkIn = (mail: string, path: string) =>
  new URL(mail.match(/https?:\/\/\S+/g)?.find((each) => new URL(each).pathname === path) as string);
const tokenOf = (link: URL) => link.searchParams.get('token') as string;

/** Whoever reads the mail sets a password. */
async function reset(email: string, more: { keep_contents?: boolean } = {}): Promise<Person> {
  await anonymous().resetPassword({ body: { email } });
  const token = tokenOf(linkIn(await app.mailTo(email, 'asked to set a new password'), '/reset'));
  const grant = await anonymous().resetPassword({ body: { token, password: NEW_PASSWORD, ...more } });
  const api = createClient({ baseUrl: app.url, token: grant.access_token as string });
  const teamId = (await api.listTeams()).results.find(({ is_default, role }) => is_default && role === 'owner')?.id;
  return { email, token: grant.access_token as string, api, userId: (await api.getMe()).id, teamId: teamId as string };
}

/** As it was possible once: somebody did all this without ever having confirmed the address. */
async function doWhileUnconfirmed<T>(person: Person, work: () => Promise<T>): Promise<T> {
  await markVerified(app, person.email);
  app.services.credentials.forget(person.userId);
  const made = await work();
  const { db } = app.services;
  await db.updateTable('users').set({ is_verified: false }).where('id', '=', person.userId).execute();
  app.services.credentials.forget(person.userId);
  return made;
}

async function fill(registrant: Person) {
  const { api, teamId } = registrant;
  const accomplice = await registerPerson(app, 'Accomplice');
  const site = await newSite(registrant);
  const params = { team_id: teamId };
  await doWhileUnconfirmed(registrant, async () => {
    await letIn(registrant, accomplice, 'admin');
    await api.createInvite({ params, body: { target_email: 'third@example.com', first_name: 'Third' } });
    await api.createWebhook({ params, body: { url: 'https://hooks.example.com/' } });
    await api.createGitAccount({ body: { provider: 'ssh', base_url: 'ssh://git.example.com' } });
    await api.createApplicationPassword({
      body: { team_id: teamId, fqdn: 'blog.example.org', username: 'ada', password: 'secret' },
    });
    await api.createApiToken({ body: { name: 'all', scopes: ['write'] } });
    const path = { path: '/shop', external_name: 'https://shop.example.com/' };
    await api.createExternalPath({ params: { fqdn: site.fqdn }, body: path });
  });
  return { accomplice, site };
}

async function countAll({ api, teamId }: Person) {
  const params = { team_id: teamId };
  const pages = await Promise.all([
    api.listMembers({ params }),
    api.listInvites({ params }),
    api.listWebhooks({ params }),
    api.listApplicationPasswords({ params }),
    api.listGitAccounts(),
    api.listSites(),
    api.listApiTokens(),
  ]);
  return pages.map(({ count }) => count);
}

suite('a password reset on an address that was never confirmed', () => {
  test('takes away everything that was made in its name, and tells of each', async () => {
    const registrant = await registerPerson(app, 'Victim', { verified: false });
    const friend = await registerPerson(app, 'Friend');
    await letIn(friend, registrant, 'member');
    const { accomplice, site } = await fill(registrant);
    assert.deepEqual(await countAll(registrant), [2, 1, 1, 1, 1, 1, 1]);

    const owner = await reset(registrant.email);
    assert.deepEqual(await countAll(owner), [1, 0, 0, 0, 0, 0, 0]);
    await assert.rejects(registrant.api.getMe(), refused(401));
    await assert.rejects(signInAs(app, registrant.email), refused(401, 'auth.bad_sign_in'));
    await assert.rejects(accomplice.api.getTeam({ params: { team_id: owner.teamId } }), refused(404));
    assert.equal((await owner.api.getMe()).is_verified, true);
    // Whoever invited them saw the link too, and may have been the one who joined.
    await assert.rejects(owner.api.getTeam({ params: { team_id: friend.teamId } }), refused(404));

    const events = await owner.api.listTeamEvents({ params: { team_id: owner.teamId }, query: { size: 100 } });
    const told = new Set(events.results.map(({ event_type }) => event_type));
    for (const type of [
      'member.removed',
      'member.uninvited',
      'webhook.deleted',
      'application_password.deleted',
      'external_path.deleted',
      'site.deleted',
    ] as const)
      assert.ok(told.has(type), type);
    const own = (await owner.api.listEvents({ query: { size: 100 } })).results.map(({ event_type }) => event_type);
    assert.ok(own.includes('account.git_unlinked') && own.includes('account.taken_over'));

    const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
    await operator.api.restoreDeletedSite({ params: { site_id: site.id }, wait: 60 });
    const back = await owner.api.getSite({ params: { fqdn: site.fqdn } });
    assert.deepEqual([back.busy, back.external_paths], [null, []]);
  });

  test('leaves everything to whoever says that they made it', async () => {
    const registrant = await registerPerson(app, 'Forgetful', { verified: false });
    await fill(registrant);
    const owner = await reset(registrant.email, { keep_contents: true });
    assert.deepEqual(await countAll(owner), [2, 1, 1, 1, 1, 1, 0]);
    await assert.rejects(registrant.api.getMe(), refused(401));
  });

  test('can not be held up by work on a site; that one goes when its work has ended', async () => {
    const registrant = await registerPerson(app, 'Busy', { verified: false });
    const site = await newSite(registrant);
    const letGo = await holdSite(app, site.id);
    const owner = await reset(registrant.email);
    assert.equal((await owner.api.listSites()).count, 1);
    await letGo();
    await eventually(async () => (await owner.api.listSites()).count === 0, 60_000);
    const events = await owner.api.listTeamEvents({ params: { team_id: owner.teamId } });
    assert.ok(events.results.some(({ event_type }) => event_type === 'site.deleted'));
  });

  test('lets nothing come after it that was asked for with a session from before', async () => {
    const registrant = await registerPerson(app, 'Hurried', { verified: false });
    const accomplice = await registerPerson(app, 'Accomplice');
    await doWhileUnconfirmed(registrant, () => letIn(registrant, accomplice, 'admin'));
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    const waiting = (count: number) =>
      eventually(async () => {
        const { rows } = await holder.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return rows.length >= count;
      });
    await holder.query('begin');
    await holder.query('select from teams where id = $1 for update', [registrant.teamId]);
    const taken = reset(registrant.email);
    await waiting(1);
    const body = { ...CMS, fqdn: newFqdn(), team_id: registrant.teamId };
    const made = registrant.api.createSite({ body });
    const refusal = assert.rejects(made, refused(401, 'auth.required'));
    await waiting(2);
    const { token } = await registrant.api.createApiToken({ body: { name: 'late', scopes: ['write'] } });
    const params = { team_id: registrant.teamId };
    const hook = accomplice.api.createWebhook({ params, body: { url: 'https://hooks.example.com/' } });
    const hookRefusal = assert.rejects(hook, refused(401, 'auth.required'));
    await waiting(3);
    await holder.query('commit');
    await holder.end();
    const owner = await taken;
    await hookRefusal;
    assert.equal((await owner.api.listWebhooks({ params })).count, 0);
    await assert.rejects(createClient({ baseUrl: app.url, token }).getMe(), refused(401));
    await refusal;
    assert.equal((await owner.api.listSites()).count, 0);
  });

  test('takes a member away who accepts an invite at the same moment', async () => {
    const registrant = await registerPerson(app, 'Joined', { verified: false });
    const guest = await registerPerson(app, 'Guest');
    const invite = await doWhileUnconfirmed(registrant, () =>
      registrant.api.createInvite({
        params: { team_id: registrant.teamId },
        body: { target_email: guest.email, first_name: 'Guest', role: 'admin' },
      }),
    );
    const joining = new pg.Client({ connectionString: app.databaseUrl });
    await joining.connect();
    // As accepting does it, up to its commit.
    await joining.query('begin');
    await joining.query('select from team_invites where id = $1 for update', [invite.id]);
    await joining.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'admin')", [
      registrant.teamId,
      guest.userId,
    ]);
    await joining.query('update team_invites set accepted_at = now() where id = $1', [invite.id]);
    const taken = reset(registrant.email);
    await eventually(async () => {
      const { rows } = await joining.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return rows.length > 0;
    });
    await joining.query('commit');
    await joining.end();
    const owner = await taken;
    assert.equal((await owner.api.listMembers({ params: { team_id: owner.teamId } })).count, 1);
  });
});

test('a password reset on a confirmed address takes nothing away, whatever it says', async () => {
  const person = await registerPerson(app, 'Confirmed');
  await insertSite(app, person);
  const owner = await reset(person.email, { keep_contents: false });
  assert.equal((await owner.api.listSites()).count, 1);
});

suite('the mail that asks to confirm an address', () => {
  test('tells whoever did not make the account how to end it, and repeats nothing that somebody else wrote', async () => {
    const email = 'taken.over@example.com';
    const names = { first_name: 'Buy now at evil.example', last_name: 'Spam' };
    await anonymous().register({ body: { email, password: 'somebody elses', ...names } });
    const mail = await app.mailTo(email);
    assert.doesNotMatch(mail, /evil\.example|nothing to do/);
    assert.match(mail, /do not confirm/);
    const link = linkIn(mail, '/reset');
    assert.equal(link.searchParams.get('unconfirmed'), '1');
    await anonymous().resetPassword({ body: { token: tokenOf(link), password: NEW_PASSWORD } });
    await assert.rejects(signInAs(app, email, 'somebody elses'), refused(401));
    // What was mailed before is good for nothing then.
    await assert.rejects(anonymous().verifyEmail({ body: { token: tokenOf(linkIn(mail, '/verify')) } }), refused(409));
  });

  test('has no link left that sets a password once the address is confirmed', async () => {
    const person = await registerPerson(app, 'Soon', { verified: false });
    const mail = await app.mailTo(person.email, '/verify');
    await anonymous().verifyEmail({ body: { token: tokenOf(linkIn(mail, '/verify')) } });
    const token = tokenOf(linkIn(mail, '/reset'));
    await assert.rejects(anonymous().resetPassword({ body: { token, password: NEW_PASSWORD } }), refused(409));
  });
});
