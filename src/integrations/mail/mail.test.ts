import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { createLog } from '#core/log.ts';
import { MailRefused } from '#core/mail.ts';
import { createMailer } from './mail.ts';

const log = createLog('silent');
const message = {
  id: 'job-1',
  to: 'ada@example.com',
  subject: 'Grüße',
  text: `A link: http://localhost/${'x'.repeat(120)}\n`,
};

/** A mail server for one test, which keeps what it gets and knows nobody called nobody. */
async function withServer(work: (smtpUrl: string) => Promise<void>): Promise<string[]> {
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const unknown = address.startsWith('nobody') && Object.assign(new Error('No such user'), { responseCode: 550 });
      done(unknown || null);
    },
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        received.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  await work(`smtp://127.0.0.1:${port}`).finally(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return received;
}

test('with an SMTP server mail goes there, and a repeated job sends the same message id', async () => {
  const received = await withServer(async (smtpUrl) => {
    const mailer = createMailer({ smtpUrl, from: 'Siteyard <no-reply@example.com>', folder: '/nowhere', log });
    await mailer.send(message);
    await mailer.send(message);
  });
  assert.equal(received.length, 2);
  for (const mail of received) {
    assert.match(mail, /^To: ada@example.com$/im);
    assert.match(mail, /^Message-ID: <job-1@siteyard>$/im);
    assert.match(mail, /^Subject: =\?UTF-8\?/im);
  }
});

test('a server that refuses makes the job fail, so that it is tried again', async () => {
  const mailer = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'a@example.com', folder: '/nowhere', log });
  await assert.rejects(mailer.send(message), /ECONNREFUSED/);
});

test('without one a message is one file with its text unbroken, however often it is sent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-mail-'));
  const mailer = createMailer({ smtpUrl: undefined, from: 'a@example.com', folder, log });
  await mailer.send({ ...message, subject: 'Two\r\nBcc: eve@example.com' });
  await mailer.send(message);
  const files = await readdir(folder);
  assert.deepEqual(files, ['job-1.eml']);
  const text = await readFile(join(folder, 'job-1.eml'), 'utf8');
  assert.ok(text.endsWith(`\n\n${message.text}`));
  assert.ok(!/^Bcc:/m.test(text));
  await rm(folder, { recursive: true });
});

const RAW =
  'From: WordPress <wordpress@blog.example.com>\r\nTo: ada@example.com\r\nSubject:  Two   blanks\r\n\r\nIt works.\r\n';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const raw = {
  from: 'wordpress@blog.example.com',
  message: Buffer.from(RAW),
  dkim: {
    domain: 'blog.example.com',
    selector: 'siteyard',
    privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  },
};

/** Checks a signature as a receiver does, with the relaxed canonical form (RFC 6376). */
function isSignedBy(mail: string, publicKey: KeyObject): boolean {
  const end = mail.indexOf('\r\n\r\n');
  const unfolded = mail
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(unfolded.map((line) => [line.split(':')[0]?.toLowerCase() as string, line]));
  const relax = (line: string) => {
    const [name = '', ...value] = line.split(':');
    return `${name.trim().toLowerCase()}:${value.join(':').trim().replaceAll(/\s+/g, ' ')}`;
  };
  const signature = headers.get('dkim-signature') ?? '';
  const tag = (name: string) => new RegExp(`[;\\s]${name}=([^;]*)`).exec(signature)?.[1]?.replaceAll(/\s/g, '') ?? '';
  if (
    createHash('sha256')
      .update(mail.slice(end + 4))
      .digest('base64') !== tag('bh')
  )
    return false;
  const signed = tag('h')
    .split(':')
    .map((name) => relax(headers.get(name) ?? ''));
  const unsigned = relax(signature.replace(/([;\s]b=)[^;]*/, '$1'));
  return verify('sha256', Buffer.from([...signed, unsigned].join('\r\n')), publicKey, Buffer.from(tag('b'), 'base64'));
}

test('a whole message goes out as it is, with a signature that its receiver can check', async () => {
  const [mail = ''] = await withServer(async (smtpUrl) => {
    const mailer = createMailer({ smtpUrl, from: 'no-reply@example.com', folder: '/nowhere', log });
    await mailer.sendRaw({ ...raw, to: ['ada@example.com'] });
    await assert.rejects(mailer.sendRaw({ ...raw, to: ['nobody@example.com'] }), MailRefused);
  });
  assert.ok(mail.endsWith(RAW), mail);
  assert.ok(isSignedBy(mail, keys.publicKey), mail);
  assert.ok(!isSignedBy(mail.replace('It works', 'It fails'), keys.publicKey));

  const folder = await mkdtemp(join(tmpdir(), 'siteyard-mail-'));
  const mailer = createMailer({ smtpUrl: undefined, from: 'a@example.com', folder, log });
  await mailer.sendRaw({ ...raw, to: ['ada@example.com'] });
  await mailer.sendRaw({ ...raw, to: ['ada@example.com'] });
  const files = await readdir(folder);
  assert.equal(files.length, 1);
  assert.ok(isSignedBy(await readFile(join(folder, files[0] as string), 'utf8'), keys.publicKey));
  await rm(folder, { recursive: true });
});

test('a whole message that nobody takes right now is worth another try', async () => {
  const mailer = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'a@example.com', folder: '/nowhere', log });
  await assert.rejects(mailer.sendRaw({ ...raw, to: ['ada@example.com'] }), (error) => !(error instanceof MailRefused));
});
