import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { GUIDE_LIST } from '#features/docs/guide-list.ts';
import { registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { makeRepository } from '#testkit/git/repository.ts';
import { type NameServer, startNameServer } from '#testkit/servers/name-server.ts';
import { ExampleRunner } from './docs-examples.ts';

/** What the guides tell readers to type is typed here, in the order of the guides, by one person with one site. */
describe('the examples of the guides', { timeout: 180_000 }, () => {
  let app: TestApp;
  let names: NameServer;
  let repositories: string;
  let runner: ExampleRunner;
  let count = 0;

  before(async () => {
    names = await startNameServer({ 'example.com': 'www A 203.0.113.9\nshop A 203.0.113.10\nhooks A 203.0.113.11\n' });
    repositories = await mkdtemp(join(tmpdir(), 'siteyard-guides-'));
    await makeRepository(join(repositories, 'garden.git'), { 'themes/garden/style.css': '/* Theme Name: Garden */' });
    const env = { DNS_SERVERS: names.address, OUTBOUND_ALLOW: '203.0.113.0/24', GIT_FILE_ROOTS: repositories };
    app = await startTestApp({ env });
    const rosa = await registerPerson(app, 'Rosa');
    runner = await ExampleRunner.open({
      SITEYARD: app.url,
      API: app.api,
      TOKEN: rosa.token,
      AUTH: `Authorization: Bearer ${rosa.token}`,
      SITEYARD_URL: app.url,
      SITEYARD_TOKEN: rosa.token,
      REPOSITORY: `file://${repositories}/garden.git`,
    });
  });
  after(async () => {
    await runner?.close();
    await app?.close();
    await names?.close();
    await rm(repositories, { recursive: true, force: true });
  });

  for (const slug of GUIDE_LIST.flatMap(({ slugs }) => slugs)) {
    it(`answer what ${slug} says`, async () => {
      count += await runner.run(slug);
    });
  }

  it('are not a few', () => {
    assert.ok(count >= 40, `${count} examples ran`);
  });
});
