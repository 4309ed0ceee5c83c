import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Diagnosis } from '#sdk';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually } from '../../../test/expect.ts';
import { type Person, registerPerson } from '../../../test/people.ts';
import { newSite } from '../../../test/sites.ts';
import { siteOnDisk } from '../../../test/time.ts';
import { visit } from '../../../test/visit.ts';
import { look } from './look.ts';

let app: TestApp;
let ada: Person;
before(async () => {
  app = await startTestApp();
  ada = await registerPerson(app, 'Ada');
});
after(() => app.close());

test('says since when the front page fails, what changed before, and a proposal that brings it back', async () => {
  const site = await newSite(ada);
  const params = { fqdn: site.fqdn };
  const disk = siteOnDisk(app, site.id);
  await disk.write('mu-plugins/shop.php', '[]');
  const good = await disk.keep();
  const fine = await ada.api.diagnoseSite({ params });
  assert.deepEqual([fine.front_page?.status, fine.findings.map(({ level }) => level)], [200, ['fine']]);
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

test('wakes a site that sleeps, and says so', async () => {
  const bob = await registerPerson(app, 'Bob');
  const { fqdn } = await newSite(bob);
  await bob.api.sleepSite({ params: { fqdn }, wait: 30 });
  const seen = await bob.api.diagnoseSite({ params: { fqdn } });
  assert.deepEqual([seen.woke, seen.front_page?.status], [true, 200]);
  assert.equal((await bob.api.diagnoseSite({ params: { fqdn } })).woke, false);
});

test('a look that fails or hangs is said and takes no other down', async () => {
  const failed = await look('dns', 1000, () => Promise.reject(new Error('password=hunter2')));
  assert.deepEqual([failed.found, failed.text], [undefined, 'This could not be looked at just now.']);
  const hung = await look('dns', 20, () => new Promise(() => {}));
  assert.match(hung.text, /longer than 0.02 seconds/);
});
