import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { registerPerson } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { signInToSite } from '#testkit/clients/wordpress-session.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';
import { noFpm } from '#testkit/drivers/fpm-runtime.ts';
import { eventually } from '#testkit/expect.ts';
import { PATIENCE } from '../../../test/wordpress/patience.ts';
import { callSite } from './call-site.ts';

/** Whatever a busy machine takes; what is asked for is that it works. */
const LONG_MS = 240_000;

interface Verdict {
  test: string;
  status: string;
  label: string;
  description: string;
}

const ENVIRONMENTS = { http: {}, https: { BASE_URL: 'https://localhost' } };
const DRIVERS = (await noFpm()) ? (['php-wasm'] as const) : (['php-wasm', 'fpm'] as const);

for (const [protocol, runtime] of DRIVERS.flatMap((each) => [['http', each] as const, ['https', each] as const])) {
  describe(`a site on ${runtime} that asks itself by ${protocol}`, () => {
    let app: TestApp;
    let site: Awaited<ReturnType<typeof newSite>>;
    before(async () => {
      const started = await startTestApp({ runtime, env: ENVIRONMENTS[protocol] });
      // Where it is reached without what would speak TLS in front of it.
      app = { ...started, url: `http://localhost:${started.services.config.port}` };
      site = await newSite(await registerPerson(app));
      await putFile(app.runtime, site, 'mu-plugins/patience.php', PATIENCE);
    });
    after(() => app.close());

    /** One of WordPress' own tests, run as its Site Health screen does. */
    const check = async (name: string): Promise<Verdict> => {
      const path = `/wp-json/wp-site-health/v1/tests/${name}`;
      const answer = await callSite(app.services, site.id, { method: 'GET', path, timeoutMs: LONG_MS });
      assert.equal(answer.status, 200, answer.body.toString());
      return JSON.parse(answer.body.toString());
    };

    it('performs loopback requests', async () => {
      await eventually(async () => (await check('loopback-requests')).status === 'good', LONG_MS);
    });

    it('finds its page cache', async () => {
      await eventually(async () => (await check('page-cache')).label.startsWith('Page cache is detected'), LONG_MS);
    });

    if (protocol === 'https') {
      it('trusts the certificate of its own address', async () => {
        assert.equal((await check('https-status')).status, 'good');
      });
    } else {
      it('finds its REST interface, with the cookies of who asks', async () => {
        const session = await signInToSite(app, site.fqdn);
        await eventually(async () => {
          const page = await session.ask('/wp-admin/site-health.php');
          const health = JSON.parse(/var SiteHealth = (\{.*\});/.exec(page.text)?.[1] ?? '{}');
          const direct: Verdict[] = health.site_status.direct;
          return direct.find(({ test }) => test === 'rest_availability')?.status === 'good';
        }, LONG_MS);
      });
    }
  });
}
