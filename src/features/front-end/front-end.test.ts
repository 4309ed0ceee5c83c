import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { Caller } from '#core/auth/caller.ts';
import { createClient } from '#sdk';
import { letIn, type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { type Ask, firstAnswers } from './first-answers.ts';

let app: TestApp;
let person: Person;
let fqdn: string;
before(async () => {
  // Ten times what somebody may do in a minute: enough for the tests, and counted.
  app = await startTestApp({ env: { RATE_LIMIT_FACTOR: '10' } });
  person = await registerPerson(app, 'Ada');
  fqdn = (await newSite(person)).fqdn;
});
after(() => app?.close());

const open = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(app.url + path, { method, headers });
const sessionOf = ({ token }: Pick<Person, 'token'>) => `session=${token}`;

type Answers = Record<string, unknown>;

/** What a page holds for whoever asked for it; undefined where it is the one for everybody. */
async function answersIn(response: Response): Promise<Answers | undefined> {
  assert.equal(response.status, 200);
  const json = /<script type="application\/json" id="first-answers"[^>]*>(.*?)<\/script>/s.exec(
    await response.text(),
  )?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

const openAs = async (who: Pick<Person, 'token'>, path: string, more = '') =>
  (await answersIn(await open(path, { cookie: sessionOf(who) + more }))) ?? {};

const askAs = async ({ token }: Pick<Person, 'token'>, address: string) =>
  (await open(address, { authorization: `Bearer ${token}` })).json();

/** The newest minute of a live site is the moment when somebody asks. */
const besidesNow = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'max_restore_point' ? 'now' : value)));

const homeOf = (team: string) => [
  '/f/api/v1/me',
  `/f/api/v1/site?team_id=${team}&page=1&size=4`,
  '/f/api/v1/team?page=1&size=100',
  `/f/api/v1/team/${team}/attention`,
  `/f/api/v1/team/${team}/event?page=1&size=25`,
];

/** Until a change of what it depends on has settled, that it is left out for taking long is no fault. */
async function holds(who: Pick<Person, 'token'>, path: string, addresses: string[], more = ''): Promise<Answers> {
  let answers: Answers = {};
  await eventually(async () => {
    answers = await openAs(who, path, more);
    return addresses.every((address) => address in answers);
  });
  assert.deepEqual(Object.keys(answers).sort(), addresses.toSorted());
  return answers;
}

test('whoever has no session gets the page that is the same for everybody, and need not get it twice', async () => {
  const page = await open('/');
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  assert.match(page.headers.get('vary') ?? '', /cookie/);
  const etag = page.headers.get('etag') as string;
  assert.equal(await answersIn(page), undefined);
  assert.equal((await open('/', { 'if-none-match': etag })).status, 304);
});

test('with a session the page holds what it would ask for first, word for word, and nobody keeps it', async () => {
  const etag = (await open('/')).headers.get('etag') as string;
  const answers = await holds(person, '/', homeOf(person.teamId));
  for (const [address, answer] of Object.entries(answers))
    assert.deepEqual(besidesNow(answer), besidesNow(await askAs(person, address)), address);
  await holds(person, `/sites/${fqdn}`, ['/f/api/v1/me', `/f/api/v1/site/${fqdn}`]);
  await holds(person, `/sites/${fqdn}/domains`, ['/f/api/v1/me', `/f/api/v1/site/${fqdn}`]);
  await holds(person, '/no-such-page', ['/f/api/v1/me']);
  await holds(person, '/sites/new', ['/f/api/v1/me']);

  const page = await open('/', { cookie: sessionOf(person), 'if-none-match': etag });
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('cache-control'), 'private, no-store');
  assert.equal(page.headers.get('etag'), null);
  assert.match(page.headers.get('vary') ?? '', /cookie/);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/);
});

test('the picture of a site is asked for with its page, and those of Home as soon as it is known which they are', async () => {
  const picture = `<link rel="preload" as="image" fetchpriority="high" href="/f/api/v1/site/${fqdn}/picture">`;
  const site = await (await open(`/sites/${fqdn}`, { cookie: sessionOf(person) })).text();
  assert.ok(site.indexOf(picture) > 0 && site.indexOf(picture) < site.indexOf('</head>'));
  await holds(person, '/', homeOf(person.teamId));
  await eventually(async () => (await (await open('/', { cookie: sessionOf(person) })).text()).includes(picture));
  const odd = await (await open('/sites/%22%3E%3Cx%3E.example', { cookie: sessionOf(person) })).text();
  assert.ok(!odd.includes('as="image"'));
});

test('the team is the one that the browser names, where the person is in it, and else their own', async () => {
  const [owner, stranger] = [await registerPerson(app), await registerPerson(app)];
  await letIn(owner, person, 'viewer');
  const own = homeOf(person.teamId);
  await holds(person, '/', homeOf(owner.teamId), `; team=${owner.teamId}`);
  await holds(person, '/', own, `; team=${stranger.teamId}`);
  await holds(person, '/', own, '; team=%22%3E<script>');
  // Which of the two is whose can not be told.
  await holds(person, '/', own, `; team=${owner.teamId}; team=${owner.teamId}`);
});

test('nobody is told what the API would not tell them', async () => {
  const stranger = await registerPerson(app);
  await holds(stranger, `/sites/${fqdn}`, ['/f/api/v1/me']);
  await stranger.api.signOut();
  assert.deepEqual(await openAs(stranger, '/'), {});
  assert.deepEqual(await openAs({ token: 'nobody-has-this' }, '/'), {});
  const two = await answersIn(await open('/', { cookie: `${sessionOf(person)}; ${sessionOf(stranger)}` }));
  assert.deepEqual(two, {});
});

test('only a page that somebody opens holds answers', async () => {
  const cookie = sessionOf(person);
  for (const headers of [
    { 'sec-fetch-dest': 'script' },
    { 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-dest': 'empty' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { authorization: `Bearer ${person.token}` },
  ])
    assert.equal(await answersIn(await open('/', { cookie, ...headers })), undefined, JSON.stringify(headers));
  assert.equal((await open('/', { cookie }, 'HEAD')).status, 200);
  assert.ok(await answersIn(await open('/', { cookie, 'sec-fetch-dest': 'document' })));
});

test('what people write can not end the block that it stands in', async () => {
  const writer = await registerPerson(app);
  const name = '</script><script>alert(1)</script><!--';
  await writer.api.updateTeam({ params: { team_id: writer.teamId }, body: { name } });
  const answers = await holds(writer, '/', homeOf(writer.teamId));
  const teams = answers['/f/api/v1/team?page=1&size=100'] as { results: { name: string }[] };
  assert.equal(teams.results[0]?.name, name);
  const page = await (await open('/', { cookie: sessionOf(writer) })).text();
  assert.ok(page.includes('alert(1)') && !page.includes('<script>alert'));
});

test('answers count as the calls that they save', async () => {
  const caller = await registerPerson(app);
  const left = async () => {
    const { headers } = await open('/f/api/v1/me', { cookie: sessionOf(caller) });
    return Number(headers.get('ratelimit-remaining'));
  };
  await holds(caller, '/', homeOf(caller.teamId));
  const before = await left();
  const answers = await openAs(caller, '/');
  assert.ok(before - (await left()) - 1 >= Object.keys(answers).length && Object.keys(answers).length > 0);
});

test('what takes long or fails is left out, and the page comes all the same', async () => {
  await holds(person, '/', homeOf(person.teamId));
  await app.services.db.transaction().execute(async (tx) => {
    await sql`lock table sites in access exclusive mode`.execute(tx);
    const answers = Object.keys(await openAs(person, '/'));
    assert.ok(!answers.some((address) => address.startsWith('/f/api/v1/site')), String(answers));
  });
  await holds(person, '/', homeOf(person.teamId));
});

test('what does not fit into 64 KB with the rest is left out, and what is smaller still comes', async () => {
  const me = JSON.stringify({ name: 'ü'.repeat(1_000) });
  const json: Record<string, string> = {
    getMe: me,
    listTeams: `"${'ü'.repeat((64 * 1024 - Buffer.byteLength(me)) / 2)}"`,
    getTeamAttention: '"small"',
  };
  const team = 'a-team';
  const caller = { roles: new Map([[team, 'owner']]), limitedTo: new Map() } as unknown as Caller;
  const ask: Ask = async (id) =>
    json[id] === undefined ? undefined : { address: id, body: {}, json: json[id], caller };
  const told = async () => [...(await firstAnswers('/', team, ask, async () => '1--1')).answers.keys()].sort();
  assert.deepEqual(await told(), ['getMe', 'getTeamAttention']);
  json.listTeams = json.listTeams?.replace('ü'.repeat(20), '') as string;
  assert.deepEqual(await told(), ['getMe', 'getTeamAttention', 'listTeams']);
});

test('the page follows events from before its answers, so that nothing is lost between them and the stream', async () => {
  const writer = await registerPerson(app);
  const cookie = sessionOf(writer);
  const place = async () => /data-events-after="([^"]+)"/.exec(await (await open('/', { cookie })).text())?.[1];
  const after = await eventually(place);
  await writer.api.updateTeam({ params: { team_id: writer.teamId }, body: { name: 'Meanwhile' } });
  const stream = await fetch(`${app.url}/f/api/v1/event/stream?after=${after}`, {
    headers: { cookie },
    signal: AbortSignal.timeout(30_000),
  });
  let text = '';
  for await (const chunk of (stream.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream() as never,
  ) as AsyncIterable<string>) {
    text += chunk;
    if (text.includes('"event_type":"team.updated"')) break;
  }
  assert.match(text, /Meanwhile/);
  assert.equal((await open('/f/api/v1/event/stream?after=yesterday', { cookie })).status, 422);
  const stranger = await (await open('/', { cookie: 'session=nobody' })).text();
  assert.ok(!stranger.includes('data-events-after'));
});

test("an operator who views somebody's account is shown that person's, and then their own again", async () => {
  const operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
  const browser = createClient({
    baseUrl: app.url,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init?.headers, cookie: sessionOf(operator), origin: app.url } }),
  });
  let view = '';
  await browser.request(
    { method: 'POST', path: `/f/api/v1/operator/user/${person.userId}/view` },
    {
      body: { reason: 'Ticket 12' },
      onAnswer: ({ headers }) => {
        view = headers
          .getSetCookie()
          .find((cookie) => cookie.startsWith('view='))
          ?.split(';')[0] as string;
      },
    },
  );
  const own = (await operator.api.listTeams()).results[0]?.id;
  const answers = await holds(operator, '/', homeOf(person.teamId), `; ${view}; team=${own}`);
  const me = answers['/f/api/v1/me'] as { email: string; view: unknown };
  assert.equal(me.email, person.email);
  assert.notEqual(me.view, null);
  const after = (await openAs(operator, '/'))['/f/api/v1/me'] as { email: string };
  assert.equal(after.email, OPERATOR.email);
});
