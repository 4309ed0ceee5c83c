import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { recordEvent } from '../src/core/events/events.ts';
import { type Person, registerPerson } from '../testkit/app/people.ts';
import { CMS, newFqdn } from '../testkit/app/sites.ts';
import { startTestApp, type TestApp } from '../testkit/app/test-app.ts';
import { eventually } from '../testkit/expect.ts';
import {
  ApiError,
  type Client,
  createClient,
  type Event,
  each,
  events,
  isFailure,
  pages,
  start,
  WorkFailed,
  waitFor,
} from './index.ts';

/** The package as its users have it, against the real service behind a way that loses things. */
let app: TestApp;
let ada: Person;
let client: Client;
/** What happens to the next requests, instead of what should. */
let mishaps: ((request: IncomingMessage, response: ServerResponse) => 'pass it on' | undefined)[] = [];
const seen: IncomingMessage[] = [];
const way = createServer((incoming, response) => {
  seen.push(incoming);
  const mishap = mishaps.shift();
  if (mishap && mishap(incoming, response) !== 'pass it on') return;
  const { method, url, headers } = incoming;
  const { port } = app.services.config;
  const onward = request({
    host: '127.0.0.1',
    port,
    method,
    path: url,
    headers: { ...headers, host: `localhost:${port}` },
  });
  onward.on('response', (answer) => {
    if (mishap) return incoming.socket.destroy();
    response.writeHead(answer.statusCode as number, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => incoming.socket.destroy());
  response.on('close', () => onward.destroy());
  incoming.pipe(onward);
});
const isLost = (incoming: IncomingMessage) => void incoming.socket.destroy();
/** It has its effect, and nobody hears of it. */
const answerIsLost = () => 'pass it on' as const;
const answers =
  (status: number, headers = {}) =>
  (incoming: IncomingMessage, response: ServerResponse) => {
    incoming.resume();
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end('{"detail":"Not now.","code":"x"}');
    return undefined;
  };

before(async () => {
  app = await startTestApp();
  ada = await registerPerson(app, 'Ada');
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  client = createClient({ baseUrl: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, token: ada.token });
});
after(async () => {
  way.closeAllConnections();
  way.close();
  await app?.close();
});

const ticket = (subject: string) => ({ body: { team_id: ada.teamId, subject, description: 'Help' } });
async function withMishaps<T>(these: typeof mishaps, call: () => Promise<T>): Promise<T> {
  mishaps = these;
  seen.length = 0;
  return call();
}

suite('the SDK', () => {
  test('sends a POST again when it or its answer got lost, with the same key, and it has its effect once', async () => {
    const made = await withMishaps([isLost, answerIsLost, answers(503)], () => client.createTicket(ticket('once')));
    const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
    assert.deepEqual([seen.length, keys.size], [4, 1]);
    const { results } = await ada.api.listTeamTickets({ params: { team_id: ada.teamId } });
    assert.deepEqual(
      results.map(({ id }) => id),
      [made.id],
    );
  });

  test('waits as long as it is told to, whatever the method, and no longer than anybody would', async () => {
    const begun = performance.now();
    const name = await withMishaps([answers(429, { 'retry-after': '1' })], () =>
      client.updateTeam({ params: { team_id: ada.teamId }, body: { name: 'Patient' } }),
    );
    assert.equal(name.name, 'Patient');
    assert.ok(performance.now() - begun > 900);
    await assert.rejects(
      withMishaps([answers(429, { 'retry-after': '3600' })], () => client.getMe()),
      { status: 429 },
    );
  });

  test('does not send again what may have had its effect, nor what was refused, and stops when told to', async () => {
    const change = { params: { team_id: ada.teamId }, body: { name: 'Once' } };
    await assert.rejects(
      withMishaps([answerIsLost], () => client.updateTeam(change)),
      TypeError,
    );
    await assert.rejects(
      withMishaps([isLost], () => client.signIn({ body: { username: 'a', password: 'b' } })),
      TypeError,
    );
    assert.equal(seen.length, 1);
    await assert.rejects(
      withMishaps([answers(403)], () => client.getMe()),
      { status: 403 },
    );
    const signal = AbortSignal.timeout(100);
    await assert.rejects(
      withMishaps([answers(503, { 'retry-after': '60' })], () => client.getMe({ signal })),
      {
        name: 'TimeoutError',
      },
    );
  });

  test('reads a list to its end, page by page as it is asked for', async () => {
    mishaps = [];
    for (const subject of ['two', 'three']) await client.createTicket(ticket(subject));
    const input = { params: { team_id: ada.teamId }, query: { size: 2 } };
    const subjects: string[] = [];
    for await (const { subject } of each(client.listTeamTickets, input)) subjects.push(subject);
    assert.deepEqual(subjects, ['three', 'two', 'once']);
    seen.length = 0;
    for await (const page of pages(client.listTeamTickets, input)) {
      assert.equal(page.results.length, 2);
      break;
    }
    assert.equal(seen.length, 1);
  });

  test('waits for work by its event, tells of progress, and throws where it failed', async () => {
    mishaps = [];
    const body = { ...CMS, fqdn: newFqdn(), team_id: ada.teamId };
    const { answer, eventId } = await start(client.createSite, { body });
    const steps: Event[] = [];
    const event = await waitFor(client, eventId as string, { onProgress: (step) => steps.push(step) });
    assert.deepEqual([event.fqdn, event.event_type, event.finished_at !== null], [answer.fqdn, 'site.created', true]);
    assert.equal(steps.at(-1)?.finished_at, event.finished_at);

    const { db } = app.services;
    const about = {
      scope: 'team',
      event_type: 'team.updated',
      activity: 'Work',
      by: ada,
      team_id: ada.teamId,
    } as const;
    const failed = await recordEvent(db, { ...about, detail: { failure: 'It broke.' } });
    await assert.rejects(
      waitFor(client, failed),
      (error) => error instanceof WorkFailed && error.message === 'It broke.',
    );
    // Without a stream it asks.
    const asked = await recordEvent(db, { ...about, unfinished: true });
    const waiting = withMishaps([answers(429, { 'retry-after': '3600' })], () => waitFor(client, asked));
    await eventually(async () => seen.some(({ url }) => url?.includes(asked)));
    await db.updateTable('events').set({ finished_at: new Date() }).where('id', '=', asked).execute();
    assert.equal((await waiting).id, asked);
    // A service that is restarted is waited for, for a while.
    const [away, done] = [answers(500), await recordEvent(db, about)];
    assert.equal((await withMishaps([away, away], () => waitFor(client, done))).id, done);
    await assert.rejects(
      withMishaps([away, away], () => waitFor(client, done, { patienceMs: 0 })),
      { status: 500 },
    );
    const never = await recordEvent(db, { ...about, unfinished: true });
    await assert.rejects(waitFor(client, never, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  });

  test('goes on with the events where their stream broke', async () => {
    mishaps = [];
    const streams = () => app.services.events.streamsOf(ada.userId);
    await eventually(async () => streams() === 0);
    const leave = new AbortController();
    const heard: string[] = [];
    const listening = (async () => {
      // What happened before may be told only now.
      for await (const { detail } of events(client, { signal: leave.signal }))
        if (detail.n !== undefined) heard.push(String(detail.n));
    })();
    const say = (n: number) =>
      recordEvent(app.services.db, {
        scope: 'team',
        event_type: 'team.updated',
        activity: 'x',
        by: ada,
        team_id: ada.teamId,
        detail: { n },
      });
    await eventually(async () => streams() > 0);
    await say(1);
    await eventually(async () => heard.includes('1'));
    way.closeAllConnections();
    await say(2);
    await eventually(async () => heard.includes('2'));
    leave.abort();
    await listening;
    assert.deepEqual(heard, ['1', '2']);
  });

  test('types what goes in, what comes out and how it can fail', async () => {
    mishaps = [];
    const error = await client.getSite({ params: { fqdn: 'none.localhost' } }).catch((reason: unknown) => reason);
    assert.ok(isFailure(error, 'getSite', 'site.not_found'));
    const code: 'site.not_found' | undefined = error.code;
    assert.equal(code, 'site.not_found');
    assert.ok(error instanceof ApiError && error.requestId);
    // What follows is checked by the compiler alone: each of these lines must be an error.
    void (() => {
      // @ts-expect-error no such code of this operation
      isFailure(error, 'getSite', 'ticket.not_found');
      // @ts-expect-error a required field is missing
      void client.createTicket({ body: { subject: 'x', description: 'y' } });
      // @ts-expect-error no such parameter
      void client.getSite({ params: { id: 'x' } });
      const body = { target_email: 'a', first_name: 'b', role: 'king' } as const;
      // @ts-expect-error a role is one of a few words
      void client.createInvite({ params: { team_id: 'x' }, body });
      // @ts-expect-error no such field in what is answered
      void client.getMe().then(({ shoe_size }) => shoe_size);
    });
  });

  test('is a package of plain JavaScript that needs no other', async () => {
    const run = promisify(execFile);
    const folder = mkdtempSync(join(tmpdir(), 'siteyard-sdk-'));
    try {
      const tsc = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
      await run(process.execPath, [tsc, '-p', import.meta.dirname, '--outDir', folder]);
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const program = `import('${folder}/index.js').then(async ({ createClient }) => {
        const client = createClient({ baseUrl: '${app.url}', token: '${ada.token}' });
        console.log((await client.getMe()).email);
      });`;
      const { stdout } = await run(process.execPath, ['-e', program], {
        cwd: folder,
      });
      assert.equal(stdout.trim(), ada.email);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
