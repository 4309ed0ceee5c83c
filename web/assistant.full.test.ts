import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Person as Registered, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { visit } from '#testkit/clients/visit.ts';
import { type ModelRequest, type ModelServer, startModelServer, type Turn } from '#testkit/servers/model-server.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';

/** Plays a model that reads the diagnosis and proposes what it suggests, word for word as the tool answered. */
function think({ messages }: ModelRequest): Turn {
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  const fqdn = /The ticket is about the site (\S+)\./.exec(messages[0]?.content ?? '')?.[1] ?? '';
  if (answers.length === 0) return { text: 'I look at the site.', calls: [{ name: 'diagnoseSite', input: { fqdn } }] };
  const suggestion = /"suggestion":(\{"label".*?\}\})/.exec(answers[0] ?? '')?.[1];
  const { operation, input } = JSON.parse(suggestion ?? '{}');
  if (answers.length === 1) return { calls: [{ name: operation, input }] };
  return { text: 'The plugin **shop** broke the front page. I propose to bring its files back.' };
}

/** A conversation from the question to the restored site, in the dashboard, at the width of a phone and of a desk. */
describe('a broken site, asked about in a ticket', { timeout: 400_000 }, () => {
  let browser: Browser;
  let model: ModelServer;
  const apps: TestApp[] = [];
  before(async () => {
    [browser, model] = await Promise.all([openBrowser(), startModelServer()]);
    model.think = think;
  });
  after(async () => {
    await browser?.close();
    for (const app of apps) await app.close();
    await model?.close();
  });

  async function brokenSite(app: TestApp, owner: Registered) {
    const site = await newSite(owner);
    const disk = siteOnDisk(app, site.id);
    await disk.write('mu-plugins/shop.php', '[]');
    await disk.keep();
    await disk.write('mu-plugins/shop.php', '[{"fail":true}]');
    await disk.keep();
    assert.equal((await visit(app, site.fqdn, '/')).status, 502);
    return site;
  }

  async function open(app: TestApp, owner: Registered, path: string): Promise<Person> {
    const person = await openPerson(browser, app.url);
    await person.page.goto(path);
    await signIn(person.page, owner.email, PASSWORD);
    return person;
  }

  for (const helper of ['the built-in helper', 'a model'] as const)
    it(`${helper} finds the cause, proposes the restore, and the confirmation brings the site back`, async () => {
      const app = await startTestApp(helper === 'a model' ? { env: model.env } : {});
      apps.push(app);
      const owner = await registerPerson(app, 'Ada');
      const site = await brokenSite(app, owner);
      const body = { team_id: owner.teamId, subject: 'Broken', description: 'Help', site_live_id: site.id };
      const ticket = await owner.api.createTicket({ body });
      const { page } = await open(app, owner, `/tickets/${ticket.id}`);
      await page.getByLabel('Reply').fill('My site shows an error since this evening. What can I do?');
      await page.getByRole('switch', { name: 'Ask the assistant' }).click();
      await page.getByRole('button', { name: 'Ask the assistant' }).click();

      const proposal = page.getByRole('region', { name: 'Proposal' });
      await proposal.getByText('Files: 1 brought back').waitFor();
      await page.getByRole('list', { name: 'What it looked at' }).getByText(`(${site.fqdn})`).first().waitFor();
      const said = helper === 'a model' ? 'I propose to bring its files back' : 'The must-use plugin shop changed at';
      await page.getByText(said).waitFor();
      assert.equal((await visit(app, site.fqdn, '/')).status, 502, 'nothing was done yet');
      await assertFitsAndAccessible(page, `an answer of ${helper}`);

      await proposal.getByRole('button', { name: 'Confirm' }).click();
      await proposal.getByText('Done', { exact: true }).waitFor();
      assert.equal((await visit(app, site.fqdn, '/')).status, 200);
      await page.reload();
      await page.getByRole('region', { name: 'Proposal' }).getByText('Done', { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Confirm' }).count(), 0);
      assert.equal((await owner.api.getTicket({ params: { ticket_id: ticket.id } })).messages_remaining, 9);
    });

  it('the page of the site has the same diagnosis and the same buttons', async () => {
    const app = apps[0] as TestApp;
    const owner = await registerPerson(app, 'Bob');
    const site = await brokenSite(app, owner);
    const { page } = await open(app, owner, `/sites/${site.fqdn}`);
    await page.getByRole('button', { name: 'Diagnose' }).click();
    await page.getByText('The must-use plugin shop changed at').waitFor();
    await assertFitsAndAccessible(page, 'a diagnosis');
    await page.getByRole('button', { name: /^Restore / }).click();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('Refused').waitFor();
    assert.equal((await visit(app, site.fqdn, '/')).status, 502);
  });
});
