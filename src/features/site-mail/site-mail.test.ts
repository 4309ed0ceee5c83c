import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, suite, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { claimRecord } from '#features/site-name/site-name.ts';
import { planSiteWork } from '#features/site-upkeep/site-upkeep.jobs.ts';
import type { Site } from '#sdk';
import { markVerified, type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { type NameServer, startNameServer } from '#testkit/servers/name-server.ts';
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

  test('is sent as a domain that the zone says is theirs, and before that as the platform', async () => {
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
    const replyTo = `ceo@${fqdn}`;
    assert.deepEqual(await sent(replyTo), { envelope: ours, from: ours, replyTo, isSigned: false });
    const claim = claimRecord(app.services, person.teamId, fqdn);
    const key = String((await read(site)).dkim_public_key);
    // A text of more than 255 bytes is written in pieces.
    const [first, rest] = [key.slice(0, 50), key.slice(50)];
    await names.write(
      'shop.example.org',
      `${claim.name}. TXT "${claim.value}"\nsiteyard._domainkey TXT "v=DKIM1; k=rsa; p=${first}" "${rest}"\n`,
    );
    assert.deepEqual(await sent('ceo@shop.example.org'), {
      envelope: `wordpress@${fqdn}`,
      from: 'ceo@shop.example.org',
      replyTo: undefined,
      isSigned: true,
    });
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

  test('waits until the owner of the team has confirmed their address', async () => {
    await hourGoesOn();
    const person = await registerPerson(app, 'Unknown', { verified: false });
    const site = await newSite(person);
    const reader = someone();
    await leaveMail(site, [reader]);
    await deliver(site);
    assert.equal(mailsTo(reader).length, 0);
    assert.equal(await waiting(site), 1);
    assert.equal((await read(site)).mail_is_waiting, true);
    await markVerified(app, person.email);
    await deliver(site);
    assert.equal(mailsTo(reader).length, 1);
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
});
