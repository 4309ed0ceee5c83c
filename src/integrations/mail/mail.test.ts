import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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
  html: '<p>A link</p>',
  headers: { 'List-Unsubscribe': '<http://localhost/no-more>' },
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
    assert.match(mail, /^List-Unsubscribe: <http:\/\/localhost\/no-more>/im);
    assert.match(mail, /^Content-Type: multipart\/alternative/im);
    assert.ok(mail.indexOf('text/plain') < mail.indexOf('text/html'));
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
  assert.ok(text.includes(`\n\n${message.text}`));
  assert.ok(text.includes(`\n\n${message.html}`));
  assert.match(text, /^List-Unsubscribe: /m);
  assert.ok(!/^Bcc:/m.test(text));
  await rm(folder, { recursive: true });
});

const RAW =
  'From: WordPress <wordpress@blog.example.com>\r\nTo: ada@example.com\r\nSubject:  Two   blanks\r\n\r\nIt works.\r\n';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const raw = {
  from: 'wordpress@blog.example.com',
  message: [Buffer.from(RAW)],
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

test('only what is refused of the message itself is final; a server that is set up wrongly costs no mail', async () => {
  const final = [
    { MAIL: '550 no' },
    { MAIL: '553 no' },
    { RCPT: '550 no' },
    { DATA: '554 no' },
    { END: '552 too large' },
  ];
  const notNow = [
    { greeting: '554 go away' },
    { EHLO: '550 no', HELO: '550 no' },
    { AUTH: '535 wrong password' },
    { AUTH: '530 no' },
    { MAIL: '530 sign in first' },
    { MAIL: '451 later' },
    { RCPT: '450 later' },
    { DATA: '451 later' },
    { END: '452 full' },
  ];
  for (const replies of [...final, ...notNow]) {
    await withScript(replies, async (smtpUrl) => {
      const mailer = createMailer({ smtpUrl, from: 'no-reply@example.com', folder: '/nowhere', log });
      const isFinal = (final as object[]).includes(replies);
      await assert.rejects(
        mailer.sendRaw({ ...raw, to: ['ada@example.com'] }),
        (error) => error instanceof MailRefused === isFinal,
        JSON.stringify(replies),
      );
    });
  }
  await withScript({}, async (smtpUrl) => {
    const mailer = createMailer({ smtpUrl, from: 'no-reply@example.com', folder: '/nowhere', log });
    await assert.rejects(mailer.sendRaw({ ...raw, to: [] }), MailRefused);
    await mailer.sendRaw({ ...raw, to: ['ada@example.com'] });
  });
});

/** A mail server that gives these replies, by command, and takes everything else. */
async function withScript(
  replies: Record<string, string | undefined>,
  work: (smtpUrl: string) => Promise<void>,
): Promise<void> {
  const usual: Record<string, string> = { EHLO: '250-hello\r\n250 AUTH PLAIN', AUTH: '235 in', DATA: '354 go on' };
  const server = createServer((socket) => {
    let inData = false;
    socket.on('error', () => {}).write(`${replies.greeting ?? '220 hello'}\r\n`);
    createInterface(socket).on('line', (line) => {
      if (inData && line !== '.') return;
      const command = inData ? 'END' : (line.split(' ')[0] ?? '').toUpperCase();
      const reply = replies[command] ?? usual[command] ?? '250 fine';
      inData = reply.startsWith('354');
      socket.write(`${reply}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await work(`smtp://ada:password@127.0.0.1:${port}`).finally(() => server.close());
}
