import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { specOf } from '#features/instance/instance.ts';
import { requestSite } from '#runtimes/request.ts';
import { registerPerson } from '#testkit/app/people.ts';
import { CMS, newFqdn, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';

/** The login form of a real WordPress decides whether it accepts the password that a new site was created with. */
suite("signing in through WordPress' own form", () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp({ runtime: 'php' });
  });
  after(() => app?.close());

  /** A new site stores its password in one column, so a single running WordPress can check the passwords of all sites. */
  let awakeId: string | undefined;
  async function giveAdministrator(fromId: string, toId: string): Promise<void> {
    const [from, to] = [await app.runtime.database(fromId), await app.runtime.database(toId)];
    const [row] = await from.query('select user_pass from wp_users');
    await to.query('update wp_users set user_pass = ?', row?.user_pass ?? null);
    from.close();
    to.close();
  }

  const odd: [what: string, password: string][] = [
    [
      'of quotes, slashes, blanks, other letters and characters',
      ` it's a "long" \\ one, mit Ümlaut\na\u0007\u007f\u{1f511} `,
    ],
    ['of one letter', 'x'],
    ['of a blank that PHP does not trim', '\u00a0'],
    [
      'of all the bytes there may be, with more blanks around',
      `${' '.repeat(3000)}${"ä'".repeat(1024)}${' '.repeat(3000)}`,
    ],
  ];
  for (const [what, password] of odd) {
    test(`lets the administrator in with a password ${what}`, async () => {
      const owner = await registerPerson(app, 'Owner');
      await putOnPlan(app, owner.teamId, 'micro');
      const body = { ...CMS, fqdn: newFqdn(), team_id: owner.teamId, cms_password: password };
      const { id } = await owner.api.createSite({ wait: 60, body });
      awakeId ??= id;
      await giveAdministrator(id, awakeId);
      assert.equal((await signIn(awakeId, `${password.trim()}!`)).status, 200);
      const answer = await signIn(awakeId, password);
      assert.equal(answer.status, 302, answer.body.toString().slice(0, 2000));
      assert.match(String(answer.headers['set-cookie']), /wordpress_logged_in_/);
    });
  }

  /** Fills in wp-login.php. */
  async function signIn(siteId: string, pwd: string) {
    const sites = app.services.db.selectFrom('sites').selectAll();
    const row = await sites.where('id', '=', siteId).executeTakeFirstOrThrow();
    return requestSite(app.runtime, specOf(app.services, row), {
      method: 'POST',
      path: '/wp-login.php',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: 'wordpress_test_cookie=WP%20Cookie%20check',
      },
      body: new URLSearchParams({ log: CMS.cms_username, pwd }).toString(),
      timeoutMs: 120_000,
    });
  }
});
