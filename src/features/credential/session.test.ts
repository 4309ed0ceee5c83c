import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createClient } from '#sdk';
import { PASSWORD, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { openStream } from '#testkit/clients/event-stream.ts';
import { refused } from '#testkit/expect.ts';
import { browserName } from './browser-name.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

test('browsers are called what people call them', () => {
  const names: [string | null, string | null][] = [
    [FIREFOX, 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 (KHTML) Version/18 Safari/605',
      'Safari on macOS',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 (KHTML) Chrome/140 Safari/537 Edg/140', 'Edge on Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140 Mobile Safari/604', 'Chrome on iPhone'],
    ['curl/8.5.0', 'curl'],
    ['something else', null],
    [null, null],
  ];
  for (const [agent, name] of names) assert.equal(browserName(agent), name);
});

test('each session is listed with what and where from, and ends alone, at once, with its streams', async () => {
  const person = await registerPerson(app, 'Ada');
  const answer = await fetch(`${app.api}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': FIREFOX },
    body: JSON.stringify({ username: person.email, password: PASSWORD }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const other = createClient({ baseUrl: app.url, token });
  const { token: apiToken } = await person.api.createApiToken({ body: { name: 'ci', scopes: ['read'] } });
  const { results, count } = await person.api.listSessions({});
  assert.equal(count, 2);
  const [newest, first] = results;
  assert.deepEqual([newest?.browser, newest?.is_current, first?.is_current], ['Firefox on Linux', false, true]);
  assert.match(newest?.address ?? '', /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
  assert.ok(newest?.last_used_at);

  const stream = await openStream(app, token);
  const stranger = await registerPerson(app, 'Bob');
  const end = { params: { session_id: newest?.id as string } };
  await assert.rejects(stranger.api.deleteSession(end), refused(404, 'session.not_found'));
  await person.api.deleteSession(end);
  await stream.ended;
  await assert.rejects(other.getMe(), refused(401));
  await person.api.getMe();
  // A token is no session: this is not the way to end it.
  const tokenId = (await person.api.listApiTokens({})).results[0]?.id as string;
  await assert.rejects(person.api.deleteSession({ params: { session_id: tokenId } }), refused(404));

  const third = await signInAs(app, person.email);
  await person.api.deleteOtherSessions();
  await assert.rejects(third.api.getMe(), refused(401));
  await person.api.getMe();
  await createClient({ baseUrl: app.url, token: apiToken }).getMe();
});
