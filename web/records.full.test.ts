import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Browser } from 'playwright-core';
import { type Person as Registered, registerPerson, signInAs } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { eventually } from '#testkit/expect.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';

/** What the dashboard shows of an account, a long ticket and the platform's people. */
describe('records in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let ada: Person;
  let operator: Person;
  let person: Registered;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    person = await registerPerson(app, 'Ada');
    ada = await openPerson(browser, app.url);
    await ada.page.goto('/account');
    await signIn(ada.page, person.email, PASSWORD);
    await ada.page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  it('lets a person choose where new sites go, and starts the form of a new site there', async () => {
    const { page } = ada;
    await page.getByLabel('Last name').waitFor();
    assert.equal(await page.getByLabel('Default region').count(), 0);
    const { api } = await signInAs(app, OPERATOR.email, OPERATOR.password);
    const place = { city: 'Oslo', country: 'Norway', country_code: 'NO', cname: 'osl.example.net', ip: '192.0.2.9' };
    await api.createRegion({ body: { ...place, name: 'osl' } });

    await page.reload();
    await page.getByRole('combobox', { name: 'Default region' }).click();
    await page.getByRole('option', { name: "The platform's first (This server)", selected: true }).waitFor();
    await page.getByRole('option', { name: 'Oslo, Norway' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await assertFitsAndAccessible(page, 'the account with a choice of regions');
    await page.goto('/sites/new');
    await page.getByRole('combobox', { name: 'Region' }).filter({ hasText: 'Oslo, Norway' }).waitFor();
    await page.goto('/account');
    await page.getByRole('combobox', { name: 'Default region' }).filter({ hasText: 'Oslo, Norway' }).click();
    await page.getByRole('option', { name: "The platform's first" }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto('/sites/new');
    await page.getByRole('combobox', { name: 'Region' }).filter({ hasText: 'This server' }).waitFor();
  });

  it('shows the newest replies of a long ticket and that there are earlier ones, and loads those, to its people and the operator', async () => {
    const ticket = await person.api.createTicket({
      body: { team_id: person.teamId, subject: 'A long story', description: 'It began like this.' },
    });
    await sql`insert into ticket_replies (ticket_id, user_id, description, created_at)
      select ${ticket.id}, ${person.userId}, 'Chapter ' || n || '.', now() + make_interval(secs => n)
      from generate_series(1, 60) n`.execute(app.services.db);
    operator = await openPerson(browser, app.url);
    await operator.page.goto(`/operator/tickets/${ticket.id}`);
    await signIn(operator.page, OPERATOR.email, OPERATOR.password);
    await ada.page.goto(`/tickets/${ticket.id}`);
    for (const { page } of [ada, operator]) {
      await page.getByText('Chapter 36.').waitFor();
      assert.equal(await page.getByText('Chapter 35.').count(), 0);
      await page.getByRole('button', { name: 'Show earlier replies (35 more)' }).click();
      await page.getByText('Chapter 11.').waitFor();
      await page.getByRole('button', { name: 'Show earlier replies (10 more)' }).click();
      await page.getByText('Chapter 1.', { exact: true }).waitFor();
      const told = await page.getByText(/^Chapter \d+\.$/).allTextContents();
      assert.deepEqual(
        told,
        Array.from({ length: 60 }, (_, index) => `Chapter ${index + 1}.`),
      );
      assert.equal(await page.getByRole('button', { name: 'Show earlier replies' }).count(), 0);
    }
    await ada.page.reload();
    await assertFitsAndAccessible(ada.page, 'a long ticket');
  });

  it('keeps what is wide within its message, and makes a link of an address', async () => {
    const { page } = ada;
    const { token } = person;
    const name = `${'all of the parts of it '.repeat(7)}.zip`;
    const upload = await fetch(`${app.url}/f/api/v1/support/attachment?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zip' },
      body: 'parts',
    });
    const { s3_object } = (await upload.json()) as { s3_object: string };
    const word = 'on_and_'.repeat(20);
    const description = `${word}\n\n- [ ] ${word}\n\n> ${word}\n\n\`\`\`\n${'a line of code '.repeat(20)}\n\`\`\`\n\nIt is at https://example.com/shop.`;
    const ticket = await person.api.createTicket({
      body: { team_id: person.teamId, subject: 'Wide', description, s3_object },
    });
    await page.goto(`/tickets/${ticket.id}`);
    await page.getByRole('link', { name: 'https://example.com/shop', exact: true }).waitFor();
    await page.getByRole('article').getByText('[ ]').waitFor();
    await assertFitsAndAccessible(page, 'a wide message');
  });

  it('says what is wrong with a file at once, and keeps the focus where something comes and goes', async () => {
    const { page } = ada;
    const attach = page.getByRole('button', { name: 'Attach a file' });
    await page.reload();
    await attach.waitFor();
    assert.equal(await attach.and(page.locator(':focus')).count(), 0);
    const choose = (name: string, sizeBytes: number) =>
      page
        .getByLabel('File to attach')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.alloc(sizeBytes) });
    await choose('nothing.txt', 0);
    await page.getByText('nothing.txt is empty.').waitFor();
    await choose('all.zip', 10.5 * 1024 * 1024);
    await page.getByText('all.zip has 11 MB. A file can have 10 MB at most.').waitFor();

    const remove = page.getByRole('button', { name: 'Remove notes.txt' });
    await attach.focus();
    await choose('notes.txt', 9);
    await remove.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await attach.and(page.locator(':focus')).waitFor();
    await page.getByLabel('Reply').fill('Here it is.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByRole('article').filter({ hasText: 'Here it is.' }).waitFor();
    // It is emptied once all is known of the reply, which stands there by then.
    await eventually(async () => (await page.getByLabel('Reply').inputValue()) === '');
    await page.getByRole('button', { name: 'Send reply' }).and(page.locator(':focus')).waitFor();
  });

  it('still lists the resolved tickets beside one of them', async () => {
    const { page } = ada;
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    await page.goto('/tickets');
    await page.getByText('Resolved', { exact: true }).click();
    await page.getByRole('link', { name: 'Wide' }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    await page.getByRole('radio', { name: 'Resolved', checked: true }).waitFor();
    await page.getByRole('link', { name: 'Wide' }).waitFor();
  });

  it('leads the operator from the page of a site to the site', async () => {
    const { page } = operator;
    const site = await newSite(person, { fqdn: 'wide.localhost' });
    await page.goto(`/operator/sites/${site.id}`);
    const link = page.getByRole('link', { name: 'Open the site' });
    assert.equal(await link.getAttribute('href'), app.url.replace('//localhost', '//wide.localhost'));

    // So does a job that failed, where it is about one.
    const job = { id: randomUUID(), queue: 'site', kind: 'site.wake', payload: { siteId: site.id }, error: 'no room' };
    await app.services.db.insertInto('failed_jobs').values(job).execute();
    await page.goto('/operator?tab=jobs');
    await page.getByRole('listitem').filter({ hasText: 'site.wake' }).getByRole('link', { name: 'Site' }).click();
    await page.waitForURL(`**/operator/sites/${site.id}`);
  });

  it('loads nothing from elsewhere, breaks no policy and throws no error', () => {
    for (const { complaints } of [ada, operator]) assert.deepEqual(complaints, []);
  });
});
