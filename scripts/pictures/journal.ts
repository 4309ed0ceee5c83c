import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { Backup, Client } from '#sdk';

interface Journal {
  fqdn: string;
  port: string;
  user: string;
  password: string;
}

const STAGE = 'harbour-draft';
const TIDE_CLOCK = `<?php
/*
Plugin Name: Tide clock
Description: Says below each post when the water is high at the quay.
Version: 1.2
*/
add_filter( 'the_content', function ( $text ) {
  $times = get_option( 'tide_times', array() );
  return is_single() ? $text . '<p><em>High water today: ' . esc_html( $times['today'] ) . '</em></p>' : $text;
} );
`;

/** What a day on the journal looks like, in some minutes: each change is in a minute of its own, so that each is a moment of its own. */
export async function writeJournal(api: Client, browser: Browser, journal: Journal): Promise<void> {
  const params = { fqdn: journal.fqdn };
  const page = await browser.newPage();
  // The first page of a site that just woke takes PHP's whole start, on a machine that may have much else to do.
  page.setDefaultTimeout(240_000);
  const site = `http://${journal.fqdn}:${journal.port}`;
  const change = await openWordPress(page, site, journal);
  await nextMinute();
  await change('posts', {
    title: 'Fresh rye on Saturdays',
    status: 'publish',
    content: '<p>The bakery at the quay lights its oven at four. By seven there is rye, and a queue.</p>',
  });
  await nextMinute();
  await change('settings', { description: 'Small weather, long walks and what is in season' });
  await nextMinute();
  const newest = (await api.getBackups({ params, query: { restore_point: new Date().toISOString() } })) as Backup;
  const name = 'Before the tide clock';
  await api.createRestorePoint({ params, body: { name, restore_point: newest.created_at } });
  await api.createSiteFolder({ params, body: { path: 'plugins/tide-clock' } });
  await api.saveSiteFile({ params, body: { path: 'plugins/tide-clock/tide-clock.php', content: TIDE_CLOCK } });
  // What the site has is known once WordPress was asked.
  await api.checkSoftware({ params, wait: 120 });
  await api.switchExtension({
    wait: 120,
    params: { ...params, kind: 'plugin', name: 'tide-clock' },
    body: { active: true },
  });
  await nextMinute();
  await untilFree(api, journal.fqdn);
  await api.createStage({ wait: 120, params, body: { subdomain: STAGE } });
  await untilFree(api, journal.fqdn);
  const [newestPost] = await change<{ id: number }[]>('posts?per_page=1');
  await change(`posts/${newestPost?.id}`, { title: 'Fresh rye on Saturdays, from seven' });
  await nextMinute();
  await change('posts', {
    title: 'The tide tables are wrong again',
    status: 'publish',
    content: '<p>Every November the board at the quay is a day late. This is how we read the water instead.</p>',
  });
  await draft(page, journal);
  await nextMinute();
  for (const path of ['/', `/?p=${newestPost?.id}`, '/no-such-walk/', '/', '/?s=tide']) await page.goto(site + path);
  await page.close();
}

/** On the staging site, so that there is something to compare. */
async function draft(page: Page, journal: Journal): Promise<void> {
  const change = await openWordPress(page, `http://${STAGE}.localhost:${journal.port}`, journal);
  await change('settings', { title: 'Harbour Notes, weekly' });
  await change('posts', {
    title: 'A winter timetable for the ferry',
    status: 'publish',
    content: '<p>From December the last boat leaves at six. Bring a torch for the steps.</p>',
  });
}

type Change = <T = unknown>(path: string, data?: object) => Promise<T>;

/** By WordPress' own sign-in and REST, as its editor does it: from a page of the site, whose name only the browser knows. */
async function openWordPress(page: Page, site: string, { user, password }: Journal): Promise<Change> {
  await page.goto(`${site}/wp-login.php`);
  await page.locator('#user_login').fill(user);
  await page.locator('#user_pass').fill(password);
  await page.locator('#wp-submit').click();
  await page.waitForURL(/wp-admin/);
  const call = (path: string, options: object = {}) =>
    page.evaluate(
      async ([address, given]) => {
        const answer = await fetch(address, given);
        if (!answer.ok) throw new Error(`${address} answered with ${answer.status}`);
        return answer.text();
      },
      [path, options] as const,
    );
  const nonce = await call('/wp-admin/admin-ajax.php?action=rest-nonce');
  return async (path, data) => {
    const headers = { 'x-wp-nonce': nonce, 'content-type': 'application/json' };
    const options = data ? { method: 'POST', headers, body: JSON.stringify(data) } : { headers };
    return JSON.parse(await call(`/?rest_route=/wp/v2/${path.replace('?', '&')}`, options));
  };
}

/** However long the work takes on a machine that has much else to do. */
async function untilFree(api: Client, fqdn: string): Promise<void> {
  while ((await api.getSite({ params: { fqdn } })).busy !== null) await sleep(1_000);
}

const nextMinute = () => sleep(61_000);
