import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Site } from '#sdk';
import { type Person as Member, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { type ProviderHost, startProviderHost } from '#testkit/git/provider-host.ts';
import { Remote } from '#testkit/git/remote.ts';
import { git as runGit } from '#testkit/git/repository.ts';
import { type NameServer, startNameServer } from '#testkit/servers/name-server.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';
const DOMAIN = 'harbour.example.org';
const IP = '203.0.113.7';
const TOKEN = 'a-token-of-the-tests';

/** What is outside, as the dashboard shows it: the records of a domain, and accounts at Git hosts. */
describe('domains and Git accounts in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let names: NameServer;
  let host: ProviderHost;
  let owner: Person;
  let stranger: Person;
  /** Who they are to the API. */
  let ada: Member;
  let grace: Member;
  let site: Site;
  let dkim: string;
  let folder: string;
  let git: Remote;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'siteyard-web-git-'));
    [names, host, browser] = await Promise.all([
      startNameServer({ [DOMAIN]: '@ A 198.51.100.1' }),
      startProviderHost(TOKEN, [], folder),
      openBrowser(),
    ]);
    git = await Remote.create(join(folder, 'site.git'), { 'plugins/a/a.php': 'one', 'mu-plugins/must.php': '[]' });
    const outside = { OUTBOUND_ALLOW: '127.0.0.0/8', GIT_FILE_ROOTS: folder };
    const env = { DNS_SERVERS: names.address, PUBLIC_IP: IP, ...outside };
    app = await startTestApp({ env, dkimBits: 2048 });
    ada = await registerPerson(app, 'Ada');
    grace = await registerPerson(app, 'Grace');
    site = await newSite(ada, { fqdn: DOMAIN });
    dkim = site.dkim_key as string;
    owner = await openPerson(browser, app.url);
    stranger = await openPerson(browser, app.url);
    for (const [{ page }, { email }] of [[owner, ada] as const, [stranger, grace] as const]) {
      await page.goto('/sites');
      await signIn(page, email, PASSWORD);
      await page.getByRole('heading', { name: 'Sites', exact: true }).waitFor();
    }
  });
  after(async () => {
    await browser?.close();
    await app?.close();
    await names?.close();
    await host?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows which record is not right, what it must be, and that it is once it is', async () => {
    const { page } = owner;
    await page.goto(`/sites/${DOMAIN}?tab=domain`);
    await page.getByText('2 records are not right yet').waitFor();
    const rows = page.getByRole('listitem').filter({ hasText: 'Must be' });
    assert.match(
      String(await rows.nth(0).textContent()),
      /^Aharbour\.example\.orgNot right.*203\.0\.113\.7.*198\.51\.100\.1/,
    );
    assert.match(String(await rows.nth(1).textContent()), /^TXTsiteyard\._domainkey.*v=DKIM1.*Not there/);
    await page.getByText('no other team can claim the domain').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the TXT record' }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), dkim);
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await assertFitsAndAccessible(page, 'the records of a domain');

    const pieces = (dkim.match(/.{1,200}/g) as string[]).map((piece) => `"${piece}"`).join(' ');
    await names.write(DOMAIN, `@ A ${IP}\nsiteyard._domainkey TXT ${pieces}`);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('All records are right.').waitFor();
  });

  it('shows whoever wants a domain of another team the record that would prove it theirs', async () => {
    const { page } = stranger;
    await page.goto('/sites/new');
    await page.getByLabel('Title').fill('Mine');
    await page.getByRole('button', { name: 'Use your own domain' }).click();
    await page.getByLabel('Name', { exact: true }).fill(DOMAIN);
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('button', { name: 'Create site' }).click();
    await page.getByText('Another team has this domain').waitFor();
    await page.getByText('Is the domain yours?').waitFor();
    const value = await page.getByText(/^siteyard-claim=/).textContent();
    await assertFitsAndAccessible(page, 'a domain that is taken');
    await names.write(DOMAIN, `@ A ${IP}\n_siteyard-challenge TXT "${value}"`);
    await page.getByRole('button', { name: 'Create site' }).click();
    await page.getByText('Your site is ready').waitFor({ timeout: 60_000 });
    // The other one goes along with its site to the name that it has now.
    await owner.page.waitForURL(/\/sites\/harbour-example-org-[0-9a-f]+\.localhost/, { timeout: 30_000 });
    await owner.page.getByRole('list', { name: 'Domains' }).getByText('Primary').waitFor();
    assert.match(new URL(owner.page.url()).pathname, /\/domains$/);
  });

  it('adds a domain, shows what it does and what its records must be, makes it primary and back, and removes it', async () => {
    const { page } = owner;
    const old = new URL(page.url()).pathname.split('/')[2] as string;
    const domains = page.getByRole('list', { name: 'Domains' });
    const act = async (name: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole('menuitem', { name: action, exact: true }).click();
    };
    const add = async (name: string) => {
      await page.getByRole('button', { name: 'Add domain' }).click();
      await page.getByRole('dialog').getByLabel('Domain').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
    };
    // As people copy it from the address bar.
    await add('https://elsewhere.example.org/about');
    await domains.getByText('www.elsewhere.example.org').waitFor();
    await page.getByText('One record is not right yet').waitFor();
    await act('elsewhere.example.org', 'Show the site here');
    await domains.getByText('Shows the site').waitFor();
    await add('elsewhere.example.org');
    await page.getByText('The site has this domain already.').waitFor();
    await page.keyboard.press('Escape');
    await assertFitsAndAccessible(page, 'the domains of a site');
    await add('haven.localhost');
    // Under its new name it is there at once, and not first said to be gone.
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.body.textContent.includes('It may have been deleted')) document.body.dataset.saidGone = 'yes';
      }).observe(document.body, { childList: true, subtree: true });
    });
    for (const name of ['haven.localhost', old]) {
      await act(name, 'Make primary');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Make primary' }).click();
      await page.waitForURL((url) => url.pathname.endsWith(`/${name}/domains`), { timeout: 60_000 });
    }
    assert.equal(await page.locator('body[data-said-gone]').count(), 0);
    await act('haven.localhost', 'Remove');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await domains.getByText('haven.localhost').waitFor({ state: 'detached' });
  });

  it('says why a domain that nobody could ask for can not be checked', async () => {
    const { page } = stranger;
    await putOnPlan(app, grace.teamId, 'micro');
    await newSite(grace, { fqdn: 'harbour.example' });
    await page.goto('/sites/harbour.example?tab=domain');
    await page.getByText('This name is reserved for private networks or tests').waitFor();
  });

  it('links an account by a token that works, and no other; makes a key; removes both', async () => {
    const { page } = owner;
    await page.goto('/developers/git');
    await page.getByText('No Git accounts').waitFor();
    await page.getByRole('button', { name: 'Link account' }).click();
    const dialog = page.getByRole('dialog');
    const choose = async (kind: string) => {
      await dialog.getByRole('combobox', { name: 'Kind' }).click();
      await page.getByRole('option', { name: kind }).click();
    };
    await choose('Gitea or Forgejo');
    await dialog.getByLabel('Host').fill(host.url);
    await dialog.getByLabel('Token').fill('wrong');
    await dialog.getByRole('button', { name: 'Link account' }).click();
    await dialog.getByText('refuses the token').waitFor();
    await dialog.getByLabel('Token').fill(TOKEN);
    await dialog.getByRole('button', { name: 'Link account' }).click();
    await page.getByText(`ada at ${new URL(host.url).host}`).waitFor();

    await page.getByRole('button', { name: 'Link account' }).click();
    await choose('SSH key');
    await dialog.getByLabel('Host').fill('git.example.com');
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    await dialog.getByText(/^ssh-ed25519 /).waitFor();
    await assertFitsAndAccessible(page, 'a new key');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'git.example.com' })
      .getByText(/^ssh-ed25519 /)
      .waitFor();
    await assertFitsAndAccessible(page, 'Git accounts');

    for (const name of ['git.example.com', new URL(host.url).host]) {
      await page.getByRole('button', { name: `Remove ${name}` }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('listitem').filter({ hasText: name }).waitFor({ state: 'detached' });
    }
    await page.getByText('No Git accounts').waitFor();
  });

  it('links a site to a repository, follows it, says what broke a deploy, and unlinks it', async () => {
    const { page } = owner;
    await page.goto('/sites?layout=table');
    const row = page.getByRole('row').filter({ hasText: /harbour-example-org/ });
    await row.getByRole('link').first().click();
    await page.getByRole('link', { name: 'Git', exact: true }).click();
    await page.getByLabel('Address of the repository').fill('file:///etc');
    await page.getByRole('button', { name: 'Link and sync' }).click();
    await page.getByText('has not opened').waitFor();
    await assertFitsAndAccessible(page, 'a site without a repository');
    await page.getByLabel('Address of the repository').fill(git.url);
    await page.getByRole('button', { name: 'Link and sync' }).click();
    const deploys = page.locator('section').filter({ hasText: 'Last deploys' });
    await deploys.getByText('Deployed').waitFor();
    await deploys.getByText('front page 200, login page 200, REST root 200').waitFor();
    await page.getByText(git.head.slice(0, 10)).first().waitFor();
    await page.getByRole('button', { name: 'Copy the address for pushes' }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\/f\/api\/v1\/git_hook\/[0-9a-f-]{36}$/);

    await git.push({ 'mu-plugins/must.php': '[{"fail":true}]' });
    await page.getByRole('button', { name: 'Sync now' }).click();
    await deploys.getByText(/The deploy was rolled back, because the front page answered 500/).waitFor();
    await assertFitsAndAccessible(page, 'a site with a repository');
    await page.getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('button', { name: 'Link and sync' }).waitFor();
  });

  it('commits what was changed on the site, and renews the secret for pushes', async () => {
    const { page } = owner;
    await git.push({ 'mu-plugins/must.php': '[]' });
    const account = await ada.api.createGitAccount({ body: { provider: 'gitea', base_url: host.url, token: TOKEN } });
    // It has another name by now.
    const fqdn = (await ada.api.listSites()).results.find(({ id }) => id === site.id)?.fqdn as string;
    const git_url = `${host.url}/site.git`;
    await ada.api.updateSite({ params: { fqdn }, wait: 60, body: { git_url } });
    const disk = siteOnDisk(app, site.id);
    await disk.write('plugins/a/a.php', 'updated in wp-admin');
    await disk.write('plugins/a/lib/new.php', 'new');
    await disk.write('plugins/a/.env', 'secret');
    await disk.write('plugins/bought/bought.php', 'bought');
    await page.goto(`/sites/${fqdn}?tab=git`);
    const section = page.locator('section').filter({ hasText: 'Changed on the site' }).last();
    await section.getByRole('checkbox', { name: 'plugins/a' }).waitFor();
    assert.equal(await section.getByRole('checkbox', { name: 'plugins/a' }).isChecked(), true);
    assert.equal(await section.getByRole('checkbox', { name: 'plugins/bought' }).isChecked(), false);
    await section.getByText('1 changed, 1 added').waitFor();
    await section.getByText(/^Every file/).click();
    await section.getByText(/^Never committed/).click();
    await section.getByText('may hold secrets').waitFor();
    await assertFitsAndAccessible(page, 'what was changed on a site');
    assert.equal(await section.getByLabel('Branch').inputValue(), 'main');
    await section.getByLabel('Branch').fill('not a branch');
    await section.getByLabel('Message').fill('Update a');
    const agree = () => page.getByRole('alertdialog').getByRole('button', { name: 'Commit and push' }).click();
    await section.getByRole('button', { name: 'Commit and push' }).click();
    await agree();
    await section.getByText('Is not the name of a branch').waitFor();
    await section.getByLabel('Branch').fill('main');
    await section.getByLabel('Message').press('Tab');
    await page.keyboard.press('Enter');
    await agree();
    await section.getByText(/Committed as [0-9a-f]{10} to main: 1 changed, 1 added, 0 deleted/).waitFor();
    await section.getByText('No file of the repository was changed on the site.').waitFor();
    assert.equal(await runGit(git.path, 'show', 'main:plugins/a/a.php'), 'updated in wp-admin');
    await assertFitsAndAccessible(page, 'a site whose changes are committed');

    const secret = () => ada.api.getGitLink({ params: { fqdn } }).then(({ hook_secret }) => hook_secret);
    const before = await secret();
    await page.getByRole('button', { name: 'Renew secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Renew secret' }).click();
    await page.getByText('The secret was renewed').waitFor();
    assert.notEqual(await secret(), before);
    await page.getByText(await secret()).waitFor();
    await ada.api.deleteGitAccount({ params: { git_account_id: account.id } });
  });

  it('let the browser complain about nothing', () => {
    assert.deepEqual([...owner.complaints, ...stranger.complaints], []);
  });
});
