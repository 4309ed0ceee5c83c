import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { DnsFailed } from '#core/dns.ts';
import { claimRecord } from '#features/site-name/site-name.ts';
import { planSiteWork } from '#features/site-upkeep/site-upkeep.jobs.ts';
import type { HostListener, LocalHost } from '#host/local-host.ts';
import type { Site } from '#sdk';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually } from '../../../test/expect.ts';
import { type NameServer, startNameServer } from '../../../test/name-server.ts';
import { pause } from '../../../test/pause.ts';
import { markVerified, type Person, registerPerson } from '../../../test/people.ts';
import { newSite, putOnPlan } from '../../../test/sites.ts';
import { listenForMail } from './listen-for-mail.ts';
import { deliverSiteMail } from './site-mail.jobs.ts';

interface Received {
  from: string;
  to: string[];
  text: string;
}

/** A mail server that knows nobody called nobody, and takes what is for later only once it is willing. */
const received: Received[] = [];
let isWilling = false;
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo({ address }, _session, done) {
    const refuse = (responseCode: number) => done(Object.assign(new Error('No'), { responseCode }));
    if (address.startsWith('nobody')) refuse(550);
    else if (address.startsWith('later') && !isWilling) refuse(450);
    else done();
  },
  onData(stream, { envelope }, done) {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
    });
    stream.on('end', () => {
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      received.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
      done();
    });
  },
});

let app: TestApp;
let names: NameServer;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  names = await startNameServer({ 'shop.example.org': '' });
  app = await startTestApp({ env: { SMTP_URL: `smtp://127.0.0.1:${port}`, DNS_SERVERS: names.address } });
});
after(async () => {
  await app?.close();
  await names?.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

async function owner(): Promise<Person> {
  const person = await registerPerson(app, 'Owner');
  await putOnPlan(app, person.teamId, 'micro');
  return person;
}

let nextMail = 1;
/** What the site's own plugin leaves for the platform. */
async function leaveMail(
  site: Site,
  to: string[],
  { from = `wordpress@${site.fqdn}`, daysAgo = 0 }: { from?: string; daysAgo?: number } = {},
): Promise<void> {
  const lines = [`From: ${from}`, `To: ${to[0]}`, 'Subject: Hello', `Date: ${new Date().toUTCString()}`];
  const message = Buffer.from(`${lines.join('\r\n')}\r\n\r\nIt works.\r\n`).toString('base64');
  const outbox = join(dirname(app.runtime.contentFolder(site.id)), 'outbox');
  await mkdir(outbox, { recursive: true });
  const seconds = Math.floor(Date.now() / 1000) - daysAgo * 86_400;
  const name = `mail-${seconds}-${String(nextMail++).padStart(12, '0')}.json`;
  await writeFile(join(outbox, name), JSON.stringify({ from, to, message }));
}

const deliver = (site: Site) =>
  deliverSiteMail.run(
    { siteId: site.id },
    { id: 'a test', services: app.services, signal: new AbortController().signal, commit: async () => {} },
  );
const plan = () =>
  planSiteWork.run(
    {},
    { id: 'a test', services: app.services, signal: new AbortController().signal, commit: async () => {} },
  );
const waiting = async (site: Site) => {
  let count = 0;
  for await (const _mail of app.runtime.outgoingMail(site.id)) count++;
  return count;
};
const read = (site: Site) =>
  app.services.db.selectFrom('sites').selectAll().where('id', '=', site.id).executeTakeFirstOrThrow();
/** Waits for the next hour where this one is about to end: what is asked for in one must not fall into the other. */
const hourGoesOn = async () => {
  const leftMs = 3_600_000 - (Date.now() % 3_600_000);
  if (leftMs < 30_000) await pause(leftMs);
};
const someone = (name = 'ada') => `${name}-${randomUUID()}@example.com`;
const mailsTo = (address: string) => received.filter(({ to }) => to.includes(address));

suite("a site's mail", () => {
  test("goes out through the platform, signed with the site's own key", async () => {
    const site = await newSite(await owner());
    const address = someone();
    await leaveMail(site, [address]);
    await deliver(site);
    const [mail] = mailsTo(address);
    assert.match(String(mail?.text), /^DKIM-Signature: v=1;/m);
    assert.match(String(mail?.text).replaceAll(/\r?\n\s+/g, ' '), new RegExp(`d=${site.fqdn}; .*s=siteyard;`));
    assert.equal(await waiting(site), 0);
  });

  test('says whose it is, whoever the site would like to be', async () => {
    const site = await newSite(await owner());
    const address = someone();
    await leaveMail(site, [address], { from: 'boss@bank.example' });
    await deliver(site);
    const [mail] = mailsTo(address);
    assert.equal(mail?.from, `wordpress@${site.fqdn}`);
    assert.match(String(mail?.text), new RegExp(`^From: wordpress@${site.fqdn}\r$`, 'm'));
    assert.match(String(mail?.text), /^Reply-To: boss@bank\.example\r$/m);
  });

  test('is sent as a domain that the zone says is theirs, and before that as the platform', async (t) => {
    const person = await owner();
    const site = await newSite(person);
    const fqdn = 'www.shop.example.org';
    await app.services.db.updateTable('sites').set({ fqdn }).where('id', '=', site.id).execute();
    const sent = async (from: string) => {
      const address = someone();
      await leaveMail(site, [address], { from });
      await deliver(site);
      const [{ from: envelope = '', text = '' } = {}] = mailsTo(address);
      const field = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(text)?.[1];
      return { envelope, from: field('From'), replyTo: field('Reply-To'), isSigned: /^DKIM-Signature:/m.test(text) };
    };
    const ours = `site-${site.id.replaceAll('-', '')}@localhost`;
    for (const replyTo of [`ceo@${fqdn}`, 'ceo@shop.example.org'])
      assert.deepEqual(await sent(replyTo), { envelope: ours, from: ours, replyTo, isSigned: false });
    // What proves the name proves nothing above it.
    const claim = (name: string, teamId = person.teamId) => claimRecord(app.services, teamId, name);
    const record = ({ name, value }: { name: string; value: string }) => `${name}. TXT "${value}"\n`;
    const stranger = (await owner()).teamId;
    await names.write('shop.example.org', record(claim(fqdn, stranger)) + record(claim('shop.example.org', stranger)));
    assert.equal((await sent(`ceo@${fqdn}`)).from, ours);
    await names.write('shop.example.org', record(claim(fqdn)));
    const own = `wordpress@${fqdn}`;
    assert.deepEqual(await sent(`ceo@${fqdn}`), {
      envelope: own,
      from: `ceo@${fqdn}`,
      replyTo: undefined,
      isSigned: true,
    });
    assert.equal((await sent('ceo@shop.example.org')).from, own);
    const key = String((await read(site)).dkim_public_key);
    const [first, rest] = [key.slice(0, 200), key.slice(200)];
    await names.write('shop.example.org', `siteyard._domainkey TXT "v=DKIM1; k=rsa; p=${first}" "${rest}"\n`);
    assert.equal((await sent('ceo@shop.example.org')).from, 'ceo@shop.example.org');
    assert.equal((await sent('ceo@example.org')).from, own);
    // A resolver that fails takes nothing back; a zone does.
    const failing = t.mock.method(app.services.dns, 'find', async () => {
      throw new DnsFailed('nobody answers', { isTimeout: true, cause: undefined });
    });
    const { from, isSigned } = await sent('ceo@shop.example.org');
    assert.deepEqual([from, isSigned], ['ceo@shop.example.org', true]);
    failing.mock.restore();
    await names.write('shop.example.org', '');
    assert.equal((await sent('ceo@shop.example.org')).from, ours);
  });

  test('of whatever size and form keeps nobody else waiting, and what is no mail is dropped', async (t) => {
    const site = await newSite(await owner());
    const outbox = join(dirname(app.runtime.contentFolder(site.id)), 'outbox');
    await mkdir(outbox, { recursive: true });
    const [kept, refused] = [someone(), someone()];
    const base64 = (text: string) => Buffer.from(text).toString('base64').replaceAll('/', '\\/');
    const mail = (to: string, message: string) => `{"from":"a@b.example","to":["${to}"],"message":"${message}"}`;
    const large = `Subject: Large\r\n\r\n${'0123456789?>\r\n'.repeat(400_000)}end\r\n`;
    const files = [
      mail(refused, base64('a: b\r\n'.repeat(1_000_000))),
      mail(refused, '{},'.repeat(2_000_000)),
      `[${'{},'.repeat(2_000_000)}{}]`,
      `{"from":${'['.repeat(5_000_000)}`,
      mail(kept, base64(large)),
    ];
    for (const [number, text] of files.entries())
      await writeFile(join(outbox, `mail-${Math.floor(Date.now() / 1000)}-${number}.json`), text);
    const turns = monitorEventLoopDelay({ resolution: 5 });
    turns.enable();
    t.after(() => turns.disable());
    await deliver(site);
    turns.disable();
    assert.equal(await waiting(site), 0);
    assert.equal(mailsTo(refused).length, 0);
    assert.ok(mailsTo(kept)[0]?.text.endsWith(large.slice(-2_000_000)));
    // Seconds for each, before. The mail server of this test is in the same process.
    assert.ok(turns.max < 1e9, `${turns.max / 1e6} ms`);
  });

  test('stops at 200 people an hour; the rest waits for the next hour', async () => {
    await hourGoesOn();
    const site = await newSite(await owner());
    const crowd = (count: number) => Array.from({ length: count }, () => someone());
    await leaveMail(site, crowd(150));
    await leaveMail(site, crowd(150));
    await leaveMail(site, crowd(1));
    await deliver(site);
    assert.equal(await waiting(site), 1);
    assert.equal((await read(site)).mail_is_waiting, true);
    await plan();
    assert.equal((await read(site)).mail_is_waiting, true);
    const hourAgo = new Date(Date.now() - 61 * 60_000);
    await app.services.db.updateTable('sites').set({ mail_hour: hourAgo }).where('id', '=', site.id).execute();
    await plan();
    await eventually(async () => (await waiting(site)) === 0);
  });

  test('stops at 10 people an hour while the address of the owner is not confirmed', async () => {
    await hourGoesOn();
    const person = await registerPerson(app, 'Unknown', { verified: false });
    const site = await newSite(person);
    await leaveMail(
      site,
      Array.from({ length: 10 }, () => someone()),
    );
    const later = someone();
    await leaveMail(site, [later]);
    await deliver(site);
    assert.equal(await waiting(site), 1);
    await markVerified(app, person.email);
    await deliver(site);
    assert.equal(mailsTo(later).length, 1);
  });

  test('that fails for the moment holds up no other, stays, and counts once it went out', async () => {
    const site = await newSite(await owner());
    const [early, late, last] = [someone(), someone('later'), someone()];
    for (const address of [early, late, someone('nobody'), last]) await leaveMail(site, [address]);
    isWilling = false;
    await assert.rejects(deliver(site), /450/);
    await assert.rejects(deliver(site), /450/);
    assert.deepEqual(
      [early, late, last].map((address) => mailsTo(address).length),
      [1, 0, 1],
    );
    assert.equal(await waiting(site), 1);
    assert.equal((await read(site)).mails_sent, 3);
    isWilling = true;
    await deliver(site);
    assert.equal(mailsTo(late).length, 1);
    assert.equal((await read(site)).mails_sent, 4);
  });

  test('that could not be sent for long is tried again with the next hour, and no sooner', async () => {
    await hourGoesOn();
    const site = await newSite(await owner());
    await deliverSiteMail.abandon?.(app.services.db, { siteId: site.id }, 'away', true);
    await plan();
    assert.equal((await read(site)).mail_is_waiting, true);
  });

  test('that is older than three days is dropped', async () => {
    const site = await newSite(await owner());
    const [old, young] = [someone(), someone()];
    await leaveMail(site, [old], { daysAgo: 3.1 });
    await leaveMail(site, [young], { daysAgo: 2.9 });
    await deliver(site);
    assert.equal(await waiting(site), 0);
    assert.deepEqual(
      [old, young].map((address) => mailsTo(address).length),
      [0, 1],
    );
  });

  test('stays where it is while the team is suspended', async () => {
    const person = await owner();
    const site = await newSite(person);
    await app.services.db.updateTable('teams').set({ is_active: false }).where('id', '=', person.teamId).execute();
    await leaveMail(site, [someone()]);
    await deliver(site);
    assert.equal(await waiting(site), 1);
  });

  test('is asked for at once, then every ten seconds at most, and nothing told meanwhile is forgotten', async () => {
    const site = await newSite(await owner());
    let listener: HostListener = {};
    const listen = (heard: HostListener) => {
      listener = heard;
    };
    const localHost = { listen } as LocalHost;
    const { db, jobs } = app.services;
    const deliverSoon = (siteId: string) => jobs.enqueueOnce(db, deliverSiteMail, { siteId }, siteId);
    listenForMail({ ...app.services, localHost }, deliverSoon);
    const told = { ...app.services.config.newSites, id: site.id };
    const asked = async () => {
      const { rows } =
        await sql`select from jobs.job where singleton_key = ${site.id} and data->>'kind' = 'site.mail'`.execute(
          app.services.db,
        );
      return rows.length;
    };
    listener.mail?.(told);
    await eventually(async () => (await asked()) === 1);
    for (let at = 0; at < 5; at++) {
      await new Promise((resolve) => setTimeout(resolve, 600));
      listener.mail?.(told);
    }
    assert.equal(await asked(), 1);
    await eventually(async () => (await asked()) === 2);
  });
});
