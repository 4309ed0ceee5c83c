import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { sql } from 'kysely';
import { registerPerson } from '#testkit/app/people.ts';
import { newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTlsApp, type TlsApp } from '#testkit/app/tls-app.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';

/** The long form has 1,000. */
const NAMES = Number(process.env.NAMES ?? 20);
const TIMEOUT_MS = 60_000 + NAMES * 2_000;

let tls: TlsApp;
before(async () => {
  tls = await startTlsApp();
});
after(() => tls?.close());

/** A new visitor: a whole handshake, which the certificate must pass. Resolves with its serial number. */
function comes(name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: tls.httpsPort, servername: name, ca: tls.authority.root }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test(`${NAMES} names are got and renewed although the authority limits and fails, and nobody ever finds a door closed`, {
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const { db } = tls.app.services;
  const owner = await registerPerson(tls.app);
  await putOnPlan(tls.app, owner.teamId, 'starter');
  const site = await newSite(owner);
  const { counts, options } = tls.authority;
  // Every seventh order is one too many, every ninth request goes wrong in one of two ways; without chance, so that a failure comes again.
  let [orders, requests] = [0, 0];
  options.limit = () => (++orders % 7 === 0 ? 1 : undefined);
  options.fault = () => (++requests % 9 !== 0 ? undefined : requests % 2 === 0 ? 'badNonce' : 'serverInternal');
  const names = Array.from({ length: NAMES }, () => newFqdn().replace('localhost', 'example'));
  const verified = { verified_at: new Date(), next_look_at: new Date('2999-01-01') };
  await db
    .insertInto('site_names')
    .values(names.map((fqdn) => ({ fqdn, site_id: site.id, ...verified })))
    .execute();
  // What failed waits for minutes, and a team that has asked for much for hours; here they wait for a moment.
  const hurry = setInterval(
    () =>
      void sql`with due as (update certificates set next_try_at = now() where failures > 0 and next_try_at > now() returning name)
        , shares as (delete from certificate_orders)
        select pg_notify('certificate_changed', name) from due limit 1`
        .execute(db)
        .catch(() => {}),
    250,
  );
  const without = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from certificates where name = any(${names}::text[]) and chain is not null and failures = 0 and renew_at > now()`.execute(
      db,
    );
    return NAMES - (rows[0]?.count ?? 0);
  };
  const whole = async () => (await without()) === 0;
  let [visits, outages] = [0, 0];
  let isOver = false;
  try {
    await eventually(whole, TIMEOUT_MS);
    const first = new Map<string, string>();
    for (const name of names) first.set(name, await eventually(() => comes(name).catch(() => undefined)));
    // All are due at once, and visitors come all the while.
    const visitors = async () => {
      for (; !isOver; await pause(5)) {
        await comes(names[visits++ % NAMES] as string).catch(() => outages++);
      }
    };
    const visiting = visitors();
    await sql`with due as (update certificates set renew_at = now(), next_try_at = now() where name = any(${names}::text[]) returning name)
      select pg_notify('certificate_changed', name) from due limit 1`.execute(db);
    await eventually(whole, TIMEOUT_MS);
    isOver = true;
    await visiting;
    for (const name of names) await eventually(async () => (await comes(name)) !== first.get(name));
  } finally {
    isOver = true;
    clearInterval(hurry);
  }
  assert.equal(outages, 0, `${outages} of ${visits} visitors found no certificate`);
  assert.ok(counts.issued >= 2 * NAMES);
  assert.ok(counts.rateLimited > 0 && counts.badNonce > 0 && counts.replaced > 0);
  if (process.env.NAMES) console.log({ NAMES, visits, outages, ...counts });
});
