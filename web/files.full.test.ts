import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { type Person as Registered, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { insertSite, insertStage } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { makeTinySite } from '#testkit/app/tiny-site.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { eventually } from '#testkit/expect.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn, tabTo } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';

/** The files of a site in the dashboard. They are a folder of the test's; no WordPress runs. */
describe('the files of a site in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let owner: Registered;
  let ada: Person;
  let fqdn: string;
  let disk: ReturnType<typeof siteOnDisk>;
  const STYLE = 'themes/mine/style.css';

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    owner = await registerPerson(app, 'Ada');
    const siteId = await insertSite(app, owner);
    await makeTinySite(app.services, siteId, 'https://files.example.com');
    const stage = await insertStage(app, siteId, owner.userId);
    await makeTinySite(app.services, stage.id, 'https://stage.example.com');
    await siteOnDisk(app, stage.id).write('stage.txt', 'of the stage');
    disk = siteOnDisk(app, siteId);
    await disk.write(STYLE, 'one {}\r\n');
    await disk.keep();
    await disk.write(STYLE, 'body {\r\n\tcolor: red;\r\n}\r\n');
    fqdn = (await owner.api.listSites()).results[0]?.fqdn ?? '';
    ada = await openPerson(browser, app.url);
    await ada.page.goto(`/sites/${fqdn}?tab=files`);
    await signIn(ada.page, owner.email, PASSWORD);
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  const entry = (name: string): Locator =>
    ada.page.getByRole('navigation', { name: 'Files', exact: true }).getByRole('button', { name, exact: true });
  const editorOf = (name: string) => ada.page.getByRole('textbox', { name: `Content of ${name}` });
  const button = (name: string) => ada.page.getByRole('button', { name, exact: true });

  it('a file is found, changed and saved by the keyboard alone, and keeps how its lines end', async () => {
    const { page } = ada;
    await entry('themes').waitFor();
    await assertFitsAndAccessible(page, 'the tree of files');
    await entry('themes').focus();
    await page.keyboard.press('ArrowRight');
    await entry('mine').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await entry('style.css').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await editorOf('style.css').waitFor();
    await assertFitsAndAccessible(page, 'the editor');
    await tabTo(page, editorOf('style.css'));
    await page.keyboard.press('Control+End');
    await page.keyboard.type('p {}');
    await page.getByText('Changes are not saved').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('style.css is saved.').waitFor();
    assert.equal(await disk.read(STYLE), 'body {\r\n\tcolor: red;\r\n}\r\np {}');
    // Tab indents, and Escape before it lets one out.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    assert.equal(await editorOf('style.css').evaluate((element) => element === document.activeElement), false);
  });

  it('what somebody else saved meanwhile is shown beside ours, and nothing is lost', async () => {
    const { page } = ada;
    await disk.write(STYLE, 'theirs {}\r\n');
    await editorOf('style.css').click();
    await page.keyboard.type('x');
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog', { name: 'style.css has changed' }).waitFor();
    await page.getByText('theirs {}').waitFor();
    await assertFitsAndAccessible(page, 'a conflict');
    assert.equal(await disk.read(STYLE), 'theirs {}\r\n');
    await button('Take theirs').click();
    await page.getByText('theirs {}').waitFor();
    await editorOf('style.css').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('/* ours */');
    await page.keyboard.press('Control+s');
    await eventually(async () => (await disk.read(STYLE)) === '/* ours */theirs {}\r\n');
  });

  it('the history shows how a version differs and brings it back', async () => {
    const { page } = ada;
    await button('History').click();
    const dialog = page.getByRole('dialog', { name: 'History of style.css' });
    await dialog.getByRole('button', { name: '8 B' }).click();
    await dialog.getByText('one {}').waitFor();
    await assertFitsAndAccessible(page, 'a version of before');
    await dialog.getByRole('button', { name: 'Bring this back' }).click();
    await eventually(async () => (await disk.read(STYLE)) === 'one {}\r\n');
    await dialog.waitFor({ state: 'detached' });
  });

  it('nobody leaves what is not saved by a slip', async () => {
    const { page } = ada;
    await editorOf('style.css').click();
    await page.keyboard.type('not saved');
    for (const leave of [page.getByRole('link', { name: 'Logs' }), entry('index.php')]) {
      await leave.click();
      await page.getByText('Leave without saving?').waitFor();
      await button('Cancel').click();
    }
    await page.getByText('Leave without saving?').waitFor({ state: 'detached' });
    await entry('index.php').click();
    await button('Discard changes').click();
    await editorOf('index.php').waitFor();
    assert.equal(await disk.read(STYLE), 'one {}\r\n');
  });

  it('files and folders are made, uploaded, moved, downloaded and deleted', async () => {
    const { page } = ada;
    await entry('mine').click();
    await button('New folder').click();
    await page.getByLabel('Path in wp-content').fill('themes/mine/inc');
    await button('Create folder').click();
    await entry('inc').waitFor();
    await button('New file').click();
    const path = page.getByLabel('Path in wp-content');
    assert.equal(await path.inputValue(), 'themes/mine/inc/');
    await path.fill(STYLE);
    await button('Create file').click();
    await page.getByText('has changed since').waitFor();
    await path.fill('themes/mine/inc/new.txt');
    await button('Create file').click();
    await editorOf('new.txt').waitFor();

    const file = { name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from([1, 0, 2]) };
    await page.getByLabel('Files to upload').setInputFiles(file);
    await page.getByText('1 file uploaded.').waitFor();
    await page.getByLabel('Files to upload').setInputFiles({ ...file, buffer: Buffer.from('two') });
    await page.getByText('Replace 1 file?').waitFor();
    await button('Replace').click();
    await eventually(async () => (await disk.read('themes/mine/inc/picture.png')) === 'two');
    await page.getByText('Replace 1 file?').waitFor({ state: 'detached' });

    await button('More for themes/mine/inc/new.txt').click();
    await page.getByRole('menuitem', { name: 'Rename or move' }).click();
    await path.fill('themes/mine/moved.txt');
    await button('Move').click();
    await entry('moved.txt').waitFor();
    await editorOf('moved.txt').waitFor();

    await button('More for themes/mine/moved.txt').click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    assert.equal((await download).suggestedFilename(), 'moved.txt');

    await button('More for themes/mine/moved.txt').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await button('Delete').click();
    await entry('moved.txt').waitFor({ state: 'detached' });
    await page.getByText('No file is open').waitFor();
  });

  it('a search opens a file at the line, on a small screen too, and the stage has files of its own', async () => {
    const { page } = ada;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('radio', { name: 'Text' }).click();
    await page.getByLabel('Find text in files').fill('silence');
    await page.getByRole('button', { name: /index\.php/ }).click();
    await editorOf('index.php').waitFor();
    await button('Back to the files').click();
    await page.getByLabel('Find text in files').fill('');
    await button('Menu').click();
    await page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'Staging' }).click();
    await entry('stage.txt').click();
    await page.getByText('of the stage').waitFor();
    assert.deepEqual(ada.complaints, []);
  });
});
