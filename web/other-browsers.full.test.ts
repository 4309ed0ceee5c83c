import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { OTHER_BROWSERS, type OtherBrowser } from '#testkit/browser/other-browsers.ts';
import { eventually } from '#testkit/expect.ts';

const PASSWORD = 'a long enough password';
/** As WebDriver writes them. */
const KEYS = { Enter: '\uE007', Escape: '\uE00C', Left: '\uE012', Control: '\uE009' };

/** What is the browser's own in the dashboard (menus, dialogs, what appears, the keyboard) works in those that are no Chromium, too. */
for (const [name, { isHere, open }] of Object.entries(OTHER_BROWSERS))
  describe(`the dashboard in ${name}`, { skip: whyNot(isHere), timeout: 600_000 }, () => {
    let app: TestApp;
    let owner: Person;
    let site: Site;
    let browser: OtherBrowser;

    before(async () => {
      app = await startTestApp();
      owner = await registerPerson(app, 'Owner');
      site = await newSite(owner);
      const disk = siteOnDisk(app, site.id);
      for (const text of ['one', 'two']) {
        await disk.write('uploads/note.txt', text);
        await disk.keep();
      }
      browser = await open();
      await browser.resize(1440, 900);
    });
    after(async () => {
      await browser?.close();
      await app?.close();
    });

    const until = <T>(expression: string) =>
      eventually(() => browser.run<T | false>(`${expression} || false`).catch(() => false as const));
    const act = (id: 'key' | 'pointer', actions: object[]) => browser.act([{ type: id, id, actions }]);
    const press = (...keys: string[]) =>
      act(
        'key',
        keys.flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      );
    const click = async (selector: string) => {
      const middle = `(() => {
        const place = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect();
        return place && { x: Math.round(place.x + place.width / 2), y: Math.round(place.y + place.height / 2) };
      })()`;
      const at = await until<{ x: number; y: number }>(middle);
      const [pointerDown, pointerUp] = [
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await act('pointer', [{ type: 'pointerMove', ...at }, pointerDown, pointerUp]);
    };
    /** Is there, in the window, and can be seen. */
    const isSeen = (selector: string) => `(() => {
      const found = document.querySelector(${JSON.stringify(selector)});
      if (!found?.checkVisibility({ opacityProperty: true })) return false;
      const { left, top, right, bottom } = found.getBoundingClientRect();
      return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && getComputedStyle(found).opacity === '1';
    })()`;
    const isFocused = (selector: string) =>
      `document.activeElement === document.querySelector(${JSON.stringify(selector)})`;

    it('lets somebody in who types address and password', async () => {
      await browser.goto(`${app.url}/sign-in`);
      await click('input[name=email]');
      await press(...owner.email);
      await click('input[type=password]');
      await press(...PASSWORD, KEYS.Enter);
      await until(`document.querySelector('h1')?.textContent === 'Home'`);
      await until(`[...document.images].some((each) => each.complete && each.naturalWidth > 0)`);
    });

    it('shows a menu at its button, and gives the focus back', async () => {
      const button = 'aside button[popovertarget][aria-haspopup=menu]:has(.truncate)';
      await click(button);
      await until(isSeen('[role=menu]:popover-open'));
      const gap = await browser.run<number>(
        `document.querySelector(':popover-open').getBoundingClientRect().top - document.querySelector('${button}').getBoundingClientRect().bottom`,
      );
      assert.ok(gap >= 0 && gap < 20, `the menu is ${gap} px below its button`);
      await press(KEYS.Escape);
      await until(`!document.querySelector('[role=menu]:popover-open') && ${isFocused(button)}`);
    });

    it('opens a dialog over the page, takes what is typed, and says that it is done', async () => {
      await browser.goto(`${app.url}/account`);
      await click('input[name=first_name]');
      await press(...'Bo', KEYS.Enter);
      await until(isSeen('[aria-label=Notifications] [role=status]'));
      const change = 'section button[aria-haspopup], section header button, main button';
      await until(`document.querySelector('${change}')`);
      await browser.run(
        `[...document.querySelectorAll('main button')].find((each) => each.textContent === 'Change address').focus()`,
      );
      await press(KEYS.Enter);
      await until(isSeen('dialog[open] .popup'));
      await until(isFocused('dialog[open] input'));
      await press(KEYS.Escape);
      await until(`!document.querySelector('dialog') && document.activeElement.textContent === 'Change address'`);
    });

    it('leads from the palette to a site and through its minutes by the keyboard', async () => {
      await act('key', [
        { type: 'keyDown', value: KEYS.Control },
        { type: 'keyDown', value: 'k' },
        { type: 'keyUp', value: 'k' },
        { type: 'keyUp', value: KEYS.Control },
      ]);
      await until(isFocused('dialog[open] input'));
      await press(...site.fqdn);
      await until(`document.querySelector('dialog[open] [role=option]')?.textContent.includes('${site.fqdn}')`);
      await press(KEYS.Enter);
      await until(`location.pathname === '/sites/${site.fqdn}'`);
      await browser.goto(`${app.url}/sites/${site.fqdn}/time`);
      await until(`document.querySelector('[role=slider]')`);
      await browser.run(`document.querySelector('[role=slider]').focus()`);
      const minute = `document.querySelector('[role=slider]').getAttribute('aria-valuetext')`;
      await press(KEYS.Left);
      const first = await until<string>(`${minute} !== 'None chosen' && ${minute}`);
      await press(KEYS.Left);
      await until(`${minute} !== ${JSON.stringify(first)}`);
    });

    it('fits into a small window', async () => {
      await browser.resize(390, 844);
      for (const path of ['/', '/sites', `/sites/${site.fqdn}`, `/sites/${site.fqdn}/time`, '/account']) {
        await browser.goto(app.url + path);
        await until(`document.querySelector('h1') && !document.body.innerText.includes('Loading')`);
        assert.ok(
          await browser.run('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
          path,
        );
      }
    });
  });

function whyNot(isHere: () => boolean): string | false {
  if (process.env.BROWSERS === undefined) return 'BROWSERS=1 looks at it in Firefox and WebKit as well';
  return isHere() ? false : 'it is not on this machine: apt-get install firefox-esr webkit2gtk-driver xvfb';
}
