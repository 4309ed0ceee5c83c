import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { letIn, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { openBrowser } from '#testkit/browser/browser.ts';
import { eventually } from '#testkit/expect.ts';
import { need } from '#testkit/runner/need.ts';

const SECURE = 'https://app.platform.example';

/** The platform behind a proxy that terminates TLS, as a browser sees it. */
let secure: TestApp;
before(async () => {
  await need('builds');
  const app = await startTestApp({ env: { BASE_URL: SECURE } });
  const url = `http://127.0.0.1:${app.services.config.port}`;
  secure = { ...app, url, api: `${url}/f/api/v1` };
});
after(() => secure?.close());

/** The one whose sites are in the page; undefined where it is left to the page to ask. */
async function teamOfHome(cookie: string): Promise<string | undefined> {
  const page = await (await fetch(`${secure.url}/`, { headers: { cookie } })).text();
  return /\/f\/api\/v1\/site\?team_id=([\w-]+)/.exec(page)?.[1];
}

test('the dashboard stores the chosen team in a __Host- cookie over https, and the server renders Home for that team', async () => {
  const [owner, guest] = [await registerPerson(secure, 'Ada'), await registerPerson(secure, 'Bob')];
  await letIn(owner, guest, 'viewer');
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ baseURL: SECURE });
    await context.addCookies([{ name: '__Host-session', value: guest.token, url: SECURE, secure: true }]);
    // As a proxy does that ends TLS.
    await context.route(`${SECURE}/**`, async (route) => {
      const response = await route.fetch({ url: route.request().url().replace(SECURE, secure.url) });
      await route.fulfill({ response });
    });
    // It has no end.
    await context.route('**/event/stream*', (route) => route.abort());
    const page = await context.newPage();
    await page.goto('/');
    await page.getByRole('button', { name: /^Team: / }).click();
    await page.getByRole('menuitemradio', { name: "Ada's team" }).click();
    const teams = (await context.cookies()).filter(({ name }) => name.endsWith('team'));
    assert.deepEqual(
      teams.map(({ name, value, path, domain, secure: isSecure }) => [name, value, path, domain, isSecure]),
      [['__Host-team', owner.teamId, '/', new URL(SECURE).host, true]],
    );
    const homeWith = (cookie: string) => eventually(async () => teamOfHome(`__Host-session=${guest.token}; ${cookie}`));
    assert.equal(await homeWith(`__Host-team=${owner.teamId}`), owner.teamId);
    assert.equal(await homeWith(`team=${owner.teamId}`), guest.teamId);
  } finally {
    await browser.close();
  }
});
