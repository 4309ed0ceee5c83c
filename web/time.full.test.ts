import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Backup, Client, Site } from '#sdk';
import { letIn, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';
import { assertFitsAndAccessible, openPerson, type Person, signIn } from './dashboard-user.ts';

const PASSWORD = 'a long enough password';
const NAME = 'harbour-notes.localhost';
const TIME = `/sites/${NAME}/time`;
/** Waking WordPress takes PHP's whole start. */
const PHP_START = { timeout: 60_000 };
const STORY = ['The quay', ...[...Array(20).keys()].map((line) => `line ${line}`), 'ends here'];

/** One site with a past, as its owner and a viewer of the team see it. Each step stands on the former ones. */
describe('the time machine in the dashboard', { timeout: 400_000 }, () => {
  let app: TestApp;
  let browser: Browser;
  let owner: Person;
  let viewer: Person;
  let site: Site;
  let adaApi: Client;
  /** When the site was as it should be. */
  let good: string;
  let disk: ReturnType<typeof siteOnDisk>;

  before(async () => {
    [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
    const ada = await registerPerson(app, 'Ada');
    const grace = await registerPerson(app, 'Grace');
    await letIn(ada, grace, 'viewer');
    adaApi = ada.api;
    site = await newSite(ada, { fqdn: NAME });
    disk = siteOnDisk(app, site.id);
    await makePast();
    owner = await openPerson(browser, app.url);
    viewer = await openPerson(browser, app.url);
    for (const [person, { email }] of [[owner, ada] as const, [viewer, grace] as const]) {
      await person.page.goto(`/sites?layout=table&team=${ada.teamId}`);
      await signIn(person.page, email, PASSWORD);
      await person.page.getByRole('row').filter({ hasText: NAME }).waitFor();
    }
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  /** A minute in which all was well, and one in which a file, an option and a picture went wrong. */
  async function makePast(): Promise<void> {
    await disk.write('uploads/story.txt', STORY.join('\n'));
    await disk.write('uploads/lost.txt', 'precious');
    await disk.write(
      'uploads/mark.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle r="40"/></svg>',
    );
    await disk.setOption('blogname', 'Harbour before');
    // Times are told to the second.
    await sleep(1100);
    good = await disk.keep();
    await disk.write('uploads/story.txt', STORY.join('\n').replace('The quay', 'Hacked!'));
    await disk.write('uploads/extra.txt', 'of the intruder');
    await disk.write('uploads/mark.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>');
    await disk.remove('uploads/lost.txt');
    await disk.setOption('blogname', 'Harbour after');
    await sleep(1100);
    await disk.keep();
  }

  const slider = (page: Page) => page.getByRole('slider', { name: 'Minute to go back to' });
  const moment = (page: Page, iso: string) =>
    page.evaluate((time) => {
      return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time));
    }, iso);
  /** What visitors get to see. */
  const story = async () => (await visit(app, NAME, '/wp-content/uploads/story.txt')).text.split('\n')[0];
  const title = async () => /<title>(.*?)<\/title>/.exec((await visit(app, NAME, '/')).text)?.[1];
  const status = async (file: string) => (await visit(app, NAME, `/wp-content/uploads/${file}`)).status;

  const isAt = async (page: Page, iso: string) =>
    (await slider(page).getAttribute('aria-valuetext'))?.startsWith(await moment(page, iso)) ?? false;
  const siteNow = () => adaApi.getSite({ params: { fqdn: NAME } });

  /** With the keys: on a day's width the minutes of a test lie on one another. */
  async function choose(page: Page, iso: string): Promise<void> {
    await slider(page).focus();
    await page.keyboard.press('Home');
    for (let steps = 0; steps < 50 && !(await isAt(page, iso)); steps++) await page.keyboard.press('ArrowRight');
    assert.ok(await isAt(page, iso), `there is no ${iso} on the timeline`);
  }

  const sheet = (page: Page) => page.getByRole('dialog', { name: /^Restore to/ });
  const advanced = (page: Page) => page.getByRole('button', { name: /^Advanced/ });

  it('finds the minute in which a page broke, and goes to the one before it', async () => {
    const { page } = owner;
    await page.goto(`/sites/${NAME}/time`);
    const search = page.locator('section').filter({ hasText: 'Find when it broke' });
    await search.getByLabel('Text', { exact: false }).first().fill('Harbour after');
    await search.getByText('Should not be there').click();
    await search.getByRole('button', { name: 'Find the minute' }).click();
    await search.getByText('It broke at').waitFor(PHP_START);
    await search.getByText('Title of the site changed to “Harbour after”').waitFor();
    await search.getByText('Tables and files').click();
    await search.getByText('uploads/extra.txt: added').waitFor();
    await assertFitsAndAccessible(page, 'when it broke');
    await search.getByRole('button', { name: 'Go to the minute before' }).click();
    await eventually(() => isAt(page, good), 30_000);
    // It is above the search, out of sight.
    await eventually(async () => {
      const shown = await page.getByRole('button', { name: 'Restore …' }).boundingBox();
      return shown !== null && shown.y > 0 && shown.y < (page.viewportSize()?.height ?? 0);
    }, 30_000);
  });

  it('tells what happened, says what a restore brings back and takes away, does it in three clicks, and undoes it with one more', async () => {
    const { page } = owner;
    await disk.query("insert into wp_users (user_login, display_name) values ('anna', 'Anna')");
    await disk.keep();
    await disk.tell();
    await page.goto(`/sites/${NAME}`);
    await countClicks(page);
    await remember(page, 'Restoring');
    await page.getByRole('link', { name: 'Time machine' }).click();
    await page.getByRole('button', { name: /User “Anna” added/ }).waitFor();
    await choose(page, good);
    await page.getByRole('region', { name: 'What has changed since' }).getByText('User “Anna” added').waitFor();
    await page.getByRole('button', { name: 'Restore …' }).click();
    await sheet(page)
      .getByText(/^Lost: came after/)
      .waitFor(PHP_START);
    await sheet(page).getByText('User “Anna”').waitFor();
    await assertFitsAndAccessible(page, 'the sheet before a restore');
    await sheet(page).getByRole('button', { name: 'Restore', exact: true }).click();
    const outcome = page.getByRole('status').filter({ hasText: 'The site is back at' });
    await outcome.waitFor(PHP_START);
    assert.equal(await clicks(page), 3);
    assert.ok(await remembered(page), 'it was never shown that it is being restored');
    await outcome.getByText('1 file restored, 2 files reverted, ').waitFor();
    assert.equal(await story(), 'The quay');
    assert.equal(await title(), 'Harbour before');
    assert.deepEqual([await status('lost.txt'), await status('extra.txt')], [200, 200]);

    await outcome.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo restore' }).click();
    assert.equal(await clicks(page), 5);
    await outcome.getByText('1 file deleted').waitFor(PHP_START);
    assert.equal(await story(), 'Hacked!');
    assert.equal(await disk.option('blogname'), 'Harbour after');
    assert.deepEqual([await status('lost.txt'), await status('extra.txt')], [404, 200]);
  });

  it('is scrubbed with keys alone: by one, to the ends, and on to the buttons', async () => {
    const { page } = owner;
    await page.goto(TIME);
    await slider(page).waitFor();
    for (let presses = 0; presses < 60 && !(await isFocused(slider(page))); presses++) await page.keyboard.press('Tab');
    assert.ok(await isFocused(slider(page)), 'the keyboard does not reach the timeline');
    const last = Number(await slider(page).getAttribute('aria-valuemax'));
    const at = async (key: string) => {
      await page.keyboard.press(key);
      return Number(await slider(page).getAttribute('aria-valuenow'));
    };
    assert.ok(last >= 2);
    assert.equal(await at('End'), last);
    assert.equal(await at('ArrowLeft'), last - 1);
    assert.equal(await at('ArrowRight'), last);
    assert.equal(await at('PageDown'), 0);
    assert.equal(await at('PageUp'), last);
    assert.equal(await at('Home'), 0);
    for (let index = 0; index < last && !(await isAt(page, good)); index++) await page.keyboard.press('ArrowRight');
    assert.ok(await isAt(page, good), 'the arrow keys step over a backup');
    const button = page.getByRole('button', { name: 'Restore …' });
    await button.waitFor();
    for (let presses = 0; presses < 40 && !(await isFocused(button)); presses++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const dryRun = sheet(page).getByRole('button', { name: 'Dry run' });
    await dryRun.waitFor();
    for (let presses = 0; presses < 20 && !(await isFocused(dryRun)); presses++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await sheet(page).getByText('The dry run passed').waitFor(PHP_START);
    await page.keyboard.press('Escape');
    await page.getByText('Dry run passed', { exact: true }).waitFor();
    assert.equal(await story(), 'Hacked!');
  });

  it('follows the mouse that drags along it', async () => {
    const { page } = owner;
    await page.goto(TIME);
    await slider(page).waitFor();
    const box = await slider(page).boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width - 2, box.y + 90);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 90, { steps: 4 });
    await page.mouse.move(box.x + 2, box.y + 90, { steps: 4 });
    const first = slider(page).and(page.locator('[aria-valuenow="0"]'));
    await first.waitFor();
    await page.mouse.up();
    await first.waitFor();
  });

  it('goes to a time that is typed', async () => {
    const { page } = owner;
    const local = await page.evaluate((iso) => {
      const time = new Date(iso);
      return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    }, good);
    const answered = page.waitForResponse(/\/backup\?restore_point=/);
    await page.getByLabel('Time to go to').fill(local);
    await page.keyboard.press('Enter');
    const { created_at } = (await (await answered).json()) as Backup;
    assert.equal(created_at.slice(0, 16), good.slice(0, 16), 'it is of another minute');
    await page.getByRole('heading', { name: await moment(page, created_at) }).waitFor();
    await page.getByLabel('Time to go to').fill('2020-01-01T00:00');
    await page.keyboard.press('Enter');
    await page.getByText('There is no backup at or before this point').first().waitFor();
  });

  it('shows what a restore would change: counters at once, lines of a text, pictures, and rows of a table', async () => {
    const { page } = owner;
    await page.goto(TIME);
    await choose(page, good);
    await advanced(page).click();
    const preview = page.getByRole('region', { name: 'What a restore would change' });
    assert.deepEqual(await fileFigures(preview), ['1', '2', '0']);
    await preview.getByRole('button', { name: 'uploads/story.txt' }).click();
    const text = preview.getByRole('textbox', { name: 'uploads/story.txt' });
    await text.locator('.cm-deletedChunk', { hasText: 'Hacked!' }).waitFor();
    await text.locator('.cm-changedLine', { hasText: 'The quay' }).waitFor();
    assert.equal(await text.getByText('line 12', { exact: true }).count(), 0, 'lines far from any change are folded');

    await preview.getByRole('button', { name: 'uploads/mark.svg' }).click();
    for (const name of ['As it is now', 'As it was then']) {
      const picture = preview.getByRole('img', { name });
      await picture.waitFor();
      const width = picture.evaluate(async (image: HTMLImageElement) => {
        await image.decode();
        return image.naturalWidth;
      });
      assert.equal(await width, 40);
    }

    await preview.getByRole('button', { name: 'wp_options' }).click();
    const row = preview.getByRole('row').filter({ hasText: 'Harbour after' });
    await row.getByRole('cell', { name: 'Harbour before' }).waitFor();
  });

  it('does what is chosen: one half, and newer files gone', async () => {
    const { page } = owner;
    await advanced(page).click();
    await page.getByRole('button', { name: 'Restore …' }).click();
    await sheet(page)
      .getByRole('button', { name: /^Advanced/ })
      .click();
    const preview = page.getByRole('region', { name: 'What a restore would change' });
    await page.getByRole('radio', { name: 'Database', exact: true }).click();
    await preview.getByText('uploads/story.txt').waitFor({ state: 'detached' });
    assert.deepEqual(await fileFigures(preview), ['0', '0', '0']);
    await preview.getByRole('button', { name: 'wp_options' }).waitFor();
    await page.getByRole('radio', { name: 'Files', exact: true }).click();
    await page.getByRole('switch', { name: 'Delete newer files' }).click();
    await preview.getByText('uploads/extra.txt').waitFor();
    assert.deepEqual(await fileFigures(preview), ['1', '2', '1']);
    assert.equal(await preview.getByRole('button', { name: 'wp_options' }).count(), 0);
    await assertFitsAndAccessible(page, 'a chosen minute');
  });

  it('has no accessibility violation in any theme or width with everything open', async () => {
    const { page } = owner;
    await page.getByRole('radio', { name: 'Files and database' }).click();
    for (const name of ['uploads/story.txt', 'uploads/mark.svg', 'wp_options'])
      await page.getByRole('button', { name }).click();
    await page.getByRole('textbox', { name: 'uploads/story.txt' }).waitFor();
    await page.getByRole('img', { name: 'As it was then' }).waitFor();
    await assertFitsAndAccessible(page, 'the time machine');
    await page.keyboard.press('Escape');
  });

  it('opens the site as it was in a tab of its own, for whoever asked', async () => {
    const { page } = owner;
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Open preview' }).click();
    const tab = await opened;
    await tab.waitForURL(/\/preview\//);
    const { pathname } = new URL(tab.url());
    const framed = tab.frameLocator('iframe');
    await framed.getByText('Harbour before').first().waitFor(PHP_START);
    assert.match(String(await tab.locator('iframe').getAttribute('src')), /\/\/preview-[0-9a-f]{32}\./);
    assert.equal(await tab.evaluate(() => opener), null);
    await tab.getByText(`as it was at ${await moment(page, good)}`).waitFor();
    await tab.getByRole('link', { name: 'Restore this minute …' }).click();
    await sheet(tab).waitFor(PHP_START);
    await tab.close();
    assert.equal(await disk.option('blogname'), 'Harbour after');

    await viewer.page.goto(pathname);
    await viewer.page.getByRole('heading', { name: 'There is no such preview' }).waitFor();
    await assertFitsAndAccessible(viewer.page, 'a preview of somebody else');
    const nobody = await openPerson(browser, app.url);
    await nobody.page.goto(pathname);
    await nobody.page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(nobody.page.url()).searchParams.get('next'), pathname);
    await nobody.page.context().close();
  });

  it('lists past restores with what came of them and their reports', async () => {
    const { page } = owner;
    const list = page
      .getByRole('region', { name: 'Restores' })
      .or(page.locator('section', { hasText: 'Every restore can be undone' }));
    assert.equal(await list.getByText(/^Undo of the restore at /).count(), 1);
    assert.equal(await list.getByText('Undone', { exact: true }).count(), 1);
    await list.getByRole('button', { name: 'Report' }).last().click();
    await page.getByRole('dialog').getByText('uploads/lost.txt').waitFor();
    await assertFitsAndAccessible(page, 'a report');
    await page.keyboard.press('Escape');
  });

  it('loads the rest of a long list of changes, and of a long report', async () => {
    const { page } = owner;
    const names = Array.from({ length: 600 }, (_, index) => `uploads/newer/${index}.txt`);
    for (const name of names) await disk.write(name, 'came later');
    await page.goto(TIME);
    await choose(page, good);
    await page.getByRole('button', { name: 'Restore …' }).click();
    await sheet(page)
      .getByRole('button', { name: /^Advanced/ })
      .click();
    await page.getByRole('radio', { name: 'Files', exact: true }).click();
    await page.getByRole('switch', { name: 'Delete newer files' }).click();
    const preview = page.getByRole('region', { name: 'What a restore would change' });
    const newer = preview.getByRole('button', { name: /uploads\/newer\/\d+\.txt/ });
    for (const shown of [100, 200, 300]) {
      await preview.getByText(`${shown} of 604 changes`).waitFor();
      if (shown < 300) await preview.getByRole('button', { name: 'Show more' }).click();
    }
    await preview.getByRole('heading', { name: '604 files' }).waitFor();
    const told = await newer.allTextContents();
    assert.ok(told.length > 290);
    assert.equal(new Set(told).size, told.length);
    await assertFitsAndAccessible(page, 'a long list of changes');
    await page.keyboard.press('Escape');

    // The keyboard has tried one out before, which is listed below this one.
    const passed = page.getByText('Dry run passed', { exact: true });
    await passed.first().waitFor();
    const before = await passed.count();
    const body = { restore_point: good, restore_db: false, delete_extra_files: true, is_dry_run: true };
    await adaApi.createPitRestore({ params: { fqdn: NAME }, wait: 60, body });
    await passed.nth(before).waitFor(PHP_START);
    await page.getByRole('button', { name: 'Report' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Dry run of a restore').waitFor();
    const listed = async () => (await dialog.locator('pre').textContent())?.match(/uploads\/newer\/\d+\.txt/g) ?? [];
    assert.ok((await listed()).length < 600);
    assert.ok(!(await dialog.locator('pre').textContent())?.includes('more:'));
    await dialog.getByRole('button', { name: 'Show more' }).click();
    await dialog.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    assert.deepEqual((await listed()).toSorted(), names.toSorted());
    await page.keyboard.press('Escape');
    await disk.remove('uploads/newer');
  });

  it('tells live how far a restore is, also to whoever did not begin it', async () => {
    const { page } = viewer;
    await page.goto(TIME);
    await slider(page).waitFor();
    const record = await addRunningRestore();
    await page.getByText('Waiting for its turn').waitFor();
    const progress = { step: 'writing', files: 30, files_total: 120, bytes: 2_500_000, bytes_total: 10_000_000 };
    const rest = { tables: 0, tables_total: null, estimated_seconds: 9.2 };
    await app.services.db
      .updateTable('events')
      .set({ detail: JSON.stringify({ progress: { ...progress, ...rest } }) })
      .where('item_id', '=', record)
      .execute();
    await page.getByText('30 of 120 files · 2.5 MB of 10 MB · about 9 seconds left').waitFor();
    assert.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '25');
    await assertFitsAndAccessible(page, 'a running restore');
    await app.services.db
      .updateTable('pit_restores')
      .set({ finished_at: new Date(), failed_reason: 'The backup could not be read.' })
      .where('id', '=', record)
      .execute();
    await app.services.db
      .updateTable('events')
      .set({ finished_at: new Date() })
      .where('item_id', '=', record)
      .execute();
    await page.getByRole('alert').filter({ hasText: 'The backup could not be read.' }).waitFor();
  });

  async function addRunningRestore(): Promise<string> {
    const { db } = app.services;
    const id = randomUUID();
    const event = await db
      .insertInto('events')
      .values({
        // The database puts its own place here.
        xid: '0',
        position: 0,
        scope: 'site',
        event_type: 'restore.dry_run',
        activity: `Ada tried out a restore of ${NAME}`,
        team_id: site.team_id,
        site_live_id: site.id,
        fqdn: NAME,
        item_id: id,
        detail: '{}',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const halves = { restore_db: true, restore_cms_content: true, delete_extra_files: false, is_dry_run: true };
    const points = { restore_point: new Date(good), backup_point: new Date(good) };
    await db
      .insertInto('pit_restores')
      .values({ id, site_id: site.id, event_id: event.id, commit_hash: '', ...points, ...halves })
      .execute();
    return id;
  }

  it('lets a viewer look at the timeline and change nothing', async () => {
    const { page } = viewer;
    await page.goto(TIME);
    await choose(page, good);
    await page.getByText("You are a viewer of Ada's team").waitFor();
    for (const name of ['Restore …', 'Open preview', 'Show then and now'])
      assert.equal(await page.getByRole('button', { name }).count(), 0);
    for (const undo of await page.getByRole('button', { name: 'Undo' }).all()) assert.ok(await undo.isDisabled());
  });

  it('says on the site since when it can be restored, and when backups fail and why', async () => {
    const { page } = owner;
    await page.goto(`/sites/${NAME}`);
    await page.locator(`time[datetime="${(await siteNow()).min_restore_point}"]`).waitFor();
    await app.services.db
      .updateTable('backup_clocks')
      .set({ failing_since: new Date(), failure: 'the disk is full' })
      .where('site_id', '=', site.id)
      .execute();
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'the disk is full' }).waitFor();
    await assertFitsAndAccessible(page, 'a site whose backups fail');
  });

  it('loads nothing from elsewhere, breaks no policy and throws no error', () => {
    for (const person of [owner, viewer]) assert.deepEqual(person.complaints, []);
  });
});

/** How many files come back, change and go, once that is known. WordPress writes to tables of its own accord. */
async function fileFigures(preview: Locator): Promise<string[]> {
  await preview.locator('dd').first().waitFor();
  const all = await preview.locator('dd').evaluateAll((found) => found.map((figure) => figure.firstChild?.textContent));
  return all.slice(0, 3).map(String);
}

const isFocused = (element: Locator) => element.evaluate((node) => node === document.activeElement);

async function countClicks(page: Page): Promise<void> {
  await page.evaluate(() =>
    addEventListener('click', () => {
      document.body.dataset.clicks = String(Number(document.body.dataset.clicks ?? 0) + 1);
    }),
  );
}

const clicks = async (page: Page) => Number(await page.locator('body').getAttribute('data-clicks'));

/** What is on the screen for a moment only is noted by the page itself. */
async function remember(page: Page, text: string): Promise<void> {
  await page.evaluate((wanted) => {
    const note = () => {
      if (document.body.textContent?.includes(wanted)) document.body.dataset.seen = 'true';
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, text);
}

const remembered = async (page: Page) => (await page.locator('body').getAttribute('data-seen')) === 'true';
