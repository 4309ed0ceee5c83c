import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually } from '../../../test/expect.ts';
import { type Person, registerPerson } from '../../../test/people.ts';
import { newSite } from '../../../test/sites.ts';

let app: TestApp;
let person: Person;
let fqdn: string;
before(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_FACTOR: '20' } });
  person = await registerPerson(app, 'Ada');
  fqdn = (await newSite(person)).fqdn;
});
after(() => app?.close());

const CLOCK = 'clock=en-US:Europe/Berlin';

async function pageOf({ token }: Person, path: string, cookie = CLOCK): Promise<string> {
  const response = await fetch(app.url + path, { headers: { cookie: `session=${token}; ${cookie}` } });
  assert.equal(response.status, 200);
  return response.text();
}

const drawnIn = (page: string) =>
  /<div id="root" inert data-drawn-for="[^"]*">(.*)<\/div><script type="application\/json"/s.exec(page)?.[1];
const hasAnswers = (page: string) => page.includes('"/f/api/v1/me":');
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ');

/** What takes long is left to the browser, which is no fault. */
const drawn = (who: Person, path: string, cookie?: string) =>
  eventually(async () => drawnIn(await pageOf(who, path, cookie)));

test('Home and the first page of a site come drawn, and hold no script for it', async () => {
  const home = textOf(await drawn(person, '/'));
  for (const words of ['Home', 'New site', 'A blog of the tests', fqdn, `created ${fqdn}`])
    assert.ok(home.includes(words), words);
  const site = await drawn(person, `/sites/${fqdn}`);
  assert.ok(textOf(site).includes('Open to everyone.'));
  assert.ok(site.includes(`<img src="/f/api/v1/site/${fqdn}/picture"`));
  for (const path of ['/', `/sites/${fqdn}`]) {
    const page = await pageOf(person, path);
    const scripts = [...page.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes);
    assert.deepEqual(
      scripts.map((each) =>
        /src="\/([\w-]+)\.js|id="([\w-]+)"/
          .exec(each as string)
          ?.slice(1)
          .join(''),
      ),
      ['theme', 'after-paint', 'first-answers'],
    );
  }
});

test('what people write is text in it', async () => {
  const writer = await registerPerson(app);
  const name = `</div></script><script>alert(1)</script><img src=x onerror=alert(1)>" onload="alert(1)' &lt;`;
  await writer.api.updateTeam({ params: { team_id: writer.teamId }, body: { name } });
  const home = await drawn(writer, '/');
  assert.ok(home.includes('&lt;/div>&lt;/script>&lt;script>alert(1)&lt;/script>&lt;img src=x onerror=alert(1)>'));
  assert.ok(home.includes('&amp;lt;'));
  assert.ok(!/<script|<img src=x|" onload/.test(home));
});

test('many pages drawn at once are each their own person’s', async () => {
  const people = await Promise.all(
    ['Birch', 'Cedar', 'Dogwood', 'Elm'].map(async (tree) => {
      const who = await registerPerson(app);
      await who.api.updateTeam({ params: { team_id: who.teamId }, body: { name: `Team ${tree}` } });
      await drawn(who, '/');
      return { who, tree };
    }),
  );
  const pages = await eventually(async () => {
    const found = await Promise.all(
      [1, 2].flatMap(() => people.map(async ({ who, tree }) => ({ tree, page: await pageOf(who, '/') }))),
    );
    return found.filter(({ page }) => drawnIn(page) !== undefined).length > 1 ? found : undefined;
  });
  for (const { tree, page } of pages)
    for (const other of people)
      if (other.tree !== tree) assert.ok(!page.includes(`Team ${other.tree}`));
      else if (drawnIn(page) !== undefined) assert.ok(page.includes(`Team ${tree}`));
});

test('moments are written by the clock that the browser told', async () => {
  const titles = (html: string) => [...html.matchAll(/<time[^>]* title="([^"]+)"/g)].map(([, title]) => title);
  const { created_at } = await person.api.getSite({ params: { fqdn } });
  for (const [locale, timeZone] of [
    ['de-DE', 'Asia/Tokyo'],
    ['en-GB', 'America/New_York'],
  ] as const) {
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
    const site = await drawn(person, `/sites/${fqdn}`, `clock=${locale}:${timeZone}`);
    assert.ok(titles(site).includes(format.format(new Date(created_at))), timeZone);
  }
});

test('what can not be drawn here comes with its answers, for the browser to draw', async () => {
  await drawn(person, '/');
  for (const [path, cookie] of [
    // Nobody told which clock, or one that there is not.
    ['/', ''],
    ['/', 'clock=en-US:Mars/Olympus'],
    ['/', `clock=${'x'.repeat(3000)}:UTC`],
    ['/', `${CLOCK}; ${CLOCK}`],
    // They lead elsewhere, or to nothing.
    [`/sites/${fqdn}?tab=logs`, CLOCK],
    ['/sites/nobody-has-this.localhost', CLOCK],
    ['/?a=1', CLOCK],
    [`/sites/${fqdn}?a=1`, CLOCK],
    // Pages that are not drawn here.
    [`/sites/${fqdn}?env=staging`, CLOCK],
    [`/sites/${fqdn}/domains`, CLOCK],
    ['/account', CLOCK],
  ] as const) {
    const page = await eventually(async () => {
      const found = await pageOf(person, path, cookie);
      return hasAnswers(found) ? found : undefined;
    });
    assert.equal(drawnIn(page), undefined, path);
    assert.ok(page.includes('<div id="root"></div>'), path);
  }
});

test('whoever is not signed in is drawn nothing', async () => {
  const stranger = await registerPerson(app);
  await stranger.api.signOut();
  const page = await pageOf(stranger, '/');
  assert.ok(page.includes('<div id="root"></div>') && !hasAnswers(page));
});
