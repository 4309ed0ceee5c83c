import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';

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
  const script = `</div></script><script>alert(1)</script><img src=x onerror=alert(1)>" onload="alert(1)' &lt;`;
  const { fqdn } = await newSite(writer);
  await app.services.db
    .updateTable('sites')
    .set({ title: `T${script}` })
    .where('fqdn', '=', fqdn)
    .execute();
  await writer.api.updateTeam({ params: { team_id: writer.teamId }, body: { name: `N${script}` } });
  await app.services.db
    .updateTable('users')
    .set({ first_name: `F${script}` })
    .where('id', '=', writer.userId)
    .execute();
  for (const [path, marks] of [
    ['/', 'NTF'],
    [`/sites/${fqdn}`, 'F'],
  ] as const) {
    const page = await drawn(writer, path);
    for (const mark of marks)
      assert.ok(
        page.includes(`${mark}&lt;/div>&lt;/script>&lt;script>alert(1)&lt;/script>&lt;img src=x onerror=alert(1)>`),
        `${path} ${mark}`,
      );
    assert.ok(page.includes('&amp;lt;'));
    assert.ok(!/<script|<img src=x|" onload/.test(page), path);
  }
});

/** By itself, since the service seldom has two at the same step. */
async function loadDraw(): Promise<(visitor: object) => Promise<{ html: string } | undefined>> {
  const { draw } = await import(new URL('../../../dist/dashboard/server.mjs', import.meta.url).href);
  return draw;
}

test('many pages drawn at once are each their own person’s', async () => {
  const draw = await loadDraw();
  const visits = await Promise.all(
    ['Birch', 'Cedar', 'Dogwood', 'Elm'].map(async (tree) => {
      const who = await registerPerson(app, tree);
      const page = await eventually(async () => {
        const found = await pageOf(who, '/');
        return drawnIn(found) === undefined ? undefined : found;
      });
      const block = /id="first-answers"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] as string;
      const answers = new Map(Object.entries(JSON.parse(block)).map(([asked, json]) => [asked, JSON.stringify(json)]));
      const clock = { locale: 'en-US', timeZone: 'UTC' };
      return { tree, visitor: { address: `${app.url}/`, userAgent: '', clock, chosenTeam: undefined, answers } };
    }),
  );
  const several = [...visits, ...visits, ...visits];
  const pages = await Promise.all(several.map(async ({ tree, visitor }) => ({ tree, page: await draw(visitor) })));
  for (const { tree, page } of pages) {
    const named = new Set(page?.html.match(/Birch|Cedar|Dogwood|Elm/g));
    assert.deepEqual([...named], [tree]);
  }
});

test('moments are written by the clock that the browser told', async () => {
  const titles = (html: string) => [...html.matchAll(/<time[^>]* title="([^"\n]+)/g)].map(([, title]) => title);
  const { created_at } = await person.api.getSite({ params: { fqdn } });
  for (const [locale, timeZone] of [
    ['de-DE', 'Asia/Tokyo'],
    ['en-GB', 'America/New_York'],
    ['en-GB', '+05:30'],
  ] as const) {
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
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
