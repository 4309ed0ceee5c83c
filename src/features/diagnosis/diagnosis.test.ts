import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { before, test } from 'node:test';
import type { Diagnosis } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { findingsOf, type Sight } from './diagnosis.findings.ts';
import { handshake } from './handshake.ts';
import { look } from './look.ts';

let app: TestApp;
let ada: Person;
before(async () => {
  app = await sharedApp();
  ada = await registerPerson(app, 'Ada');
});

test('says since when the front page fails, what changed before, and a proposal that brings it back', async () => {
  const site = await newSite(ada);
  const params = { fqdn: site.fqdn };
  const disk = siteOnDisk(app, site.id);
  await disk.write('mu-plugins/shop.php', '[]');
  const good = await disk.keep();
  const fine = await ada.api.diagnoseSite({ params });
  // On a busy machine it may be slow.
  const about = fine.findings.filter(({ text }) => !/took (longer|[\d.]+ seconds)/.test(text));
  assert.deepEqual([fine.front_page?.status, about.filter(({ level }) => level !== 'fine')], [200, []]);
  assert.ok(
    fine.looks.every(({ ok }) => ok),
    JSON.stringify(fine.looks),
  );

  await disk.write('mu-plugins/shop.php', '[{"fail":true}]');
  await disk.keep();
  assert.equal((await visit(app, site.fqdn, '/')).status, 502);
  const broken = await eventually(async () => {
    const seen: Diagnosis = await ada.api.diagnoseSite({ params });
    return seen.front_page?.failing_since != null && seen;
  });
  const [finding] = broken.findings;
  assert.match(
    finding?.text ?? '',
    /^The front page answers 500 since .* The must-use plugin shop changed at .*Restore/,
  );
  assert.deepEqual(finding?.suggestion?.input, { fqdn: site.fqdn, restore_point: good, restore_db: false });
  assert.equal(broken.changes[0]?.name, 'shop');

  const { operation, input } = finding?.suggestion ?? { operation: '', input: {} };
  const proposal = await ada.api.createProposal({ body: { operation, input } });
  assert.match(proposal.description, /Files: 1 brought back/);
  assert.equal(proposal.preview?.num_files_restored, 1);
  const { result } = await ada.api.confirmProposal({ params: { proposal_id: proposal.id }, wait: 60 });
  await eventually(async () => {
    const event = await ada.api.getEvent({ params: { event_id: String(result?.operation_id) } });
    return event.finished_at !== null;
  });
  assert.equal((await ada.api.diagnoseSite({ params })).front_page?.status, 200);
});

test('a change from long before the page went wrong is not blamed, and nothing is proposed that would lose weeks', () => {
  const day = (number: number, hour = 0) => new Date(Date.UTC(2026, 0, number, hour));
  const sight = (at: Date): Sight => ({
    fqdn: 'a.localhost',
    busy: null,
    isActive: true,
    frontPage: { status: 500, duration_ms: 5, failing_since: day(20), last_good_at: day(19, 23) },
    errors: undefined,
    changes: {
      files: [
        {
          at,
          before: new Date(at.getTime() - 60_000),
          parts: [{ kind: 'plugin', name: 'shop', files: 1, isNew: true }],
        },
      ],
      newestBackup: at,
    },
    titleOf: (kind, name) => (kind === 'plugin' && name === 'shop' ? 'Corner Shop' : undefined),
    dns: undefined,
    certificate: undefined,
    certificateText: '',
    plan: undefined,
    traffic: undefined,
    woke: false,
  });
  assert.equal(findingsOf(sight(day(2)))[0]?.suggestion, null);
  const [near] = findingsOf(sight(new Date(day(20).getTime() - 1000)));
  assert.match(near?.text ?? '', /The plugin Corner Shop was added/);
  assert.match(near?.suggestion?.label ?? '', /Restore 2026-01-19/);
});

test('a backup is not proposed where nobody knows that the site was well then', () => {
  const backup = new Date(Date.UTC(2026, 0, 1));
  const since = new Date(Date.UTC(2026, 0, 20));
  const suggestion = (last_good_at: Date | null) => {
    const message = 'Uncaught Error in /wp-content/plugins/shop/shop.php:3';
    const error = { at: since, level: 'fatal', message, file: 'wp-content/plugins/shop/shop.php', line: 3 };
    return findingsOf({
      fqdn: 'a.localhost',
      busy: null,
      isActive: true,
      frontPage: { status: 500, duration_ms: 5, failing_since: since, last_good_at },
      errors: [error],
      changes: { files: [], newestBackup: backup },
      titleOf: () => undefined,
      dns: undefined,
      certificate: undefined,
      certificateText: '',
      plan: undefined,
      traffic: undefined,
      woke: false,
    })[0]?.suggestion;
  };
  assert.equal(suggestion(null), null);
  assert.match(suggestion(new Date(since.getTime() - 1000))?.label ?? '', /Restore 2026-01-01/);
});

test('a slow site is not called fine: by its front page now, and by the requests of a day', () => {
  const levels = (duration_ms: number, traffic: Sight['traffic'], woke = false) =>
    findingsOf({
      fqdn: 'a.localhost',
      busy: null,
      isActive: true,
      frontPage: { status: 200, duration_ms, failing_since: null, last_good_at: null },
      errors: [],
      changes: undefined,
      titleOf: () => undefined,
      dns: undefined,
      certificate: undefined,
      certificateText: '',
      plan: undefined,
      traffic,
      woke,
    }).map(({ level, text }) => `${level}: ${text}`);
  const [fine, slow] = [/^fine: .*nothing looks wrong/, /^hint: The front page took 1\.9 seconds just now/];
  assert.match(levels(300, { requests: 100, p95_ms: 700 }).join(), fine);
  const hinted = levels(1_900, undefined);
  assert.equal(hinted.length, 1);
  assert.match(hinted[0] ?? '', slow);
  const [worst, second] = levels(1_900, { requests: 103, p95_ms: 7_300 });
  assert.match(worst ?? '', /^problem: 5 of 100 requests in the last 24 hours took longer than 7\.3 seconds/);
  assert.match(second ?? '', slow);
  assert.match(levels(4_657, undefined)[0] ?? '', /^problem: The front page took 4\.7 seconds/);
  // Neither few requests nor the start of a site that slept say that it is slow.
  assert.match(levels(300, { requests: 3, p95_ms: 9_000 }).join(), fine);
  assert.match(levels(6_000, undefined, true).join(), fine);
});

test('a server that answers a byte at a time holds a look no longer than one that does not answer', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).write(Buffer.from([0x16, 3, 3, 0x40, 0]));
    const drip = setInterval(() => socket.write('x'), 5);
    socket.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await assert.rejects(handshake(socket, 'a.localhost', AbortSignal.timeout(50)), /too long/);
  await new Promise((resolve) => server.close(resolve));
});

test('wakes a site that sleeps, and says so', async () => {
  const bob = await registerPerson(app, 'Bob');
  const { fqdn } = await newSite(bob);
  await bob.api.sleepSite({ params: { fqdn }, wait: 30 });
  const [seen, same] = await Promise.all([1, 2].map(() => bob.api.diagnoseSite({ params: { fqdn } })));
  assert.ok(seen);
  assert.deepEqual(same, seen, 'whoever asks twice at once is looked for once');
  assert.deepEqual([seen.woke, seen.front_page?.status], [true, 200]);
  assert.equal((await bob.api.diagnoseSite({ params: { fqdn } })).woke, false);
});

test('a look that fails or hangs is said and takes no other down', async () => {
  const failed = await look('dns', 1000, () => Promise.reject(new Error('password=hunter2')));
  assert.deepEqual([failed.found, failed.text], [undefined, 'This could not be looked at just now.']);
  const hung = await look('dns', 20, () => new Promise(() => {}));
  assert.match(hung.text, /longer than 0.02 seconds/);
});
