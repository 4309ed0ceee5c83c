import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { createLog } from '#core/log.ts';
import { createMailer } from './mail.ts';

const log = createLog('silent');
const message = {
  id: 'job-1',
  to: 'ada@example.com',
  subject: 'Grüße',
  text: `A link: http://localhost/${'x'.repeat(120)}\n`,
};

test('with an SMTP server mail goes there, and a repeated job sends the same message id', async () => {
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
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
  const mailer = createMailer({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: 'Siteyard <no-reply@example.com>',
    folder: '/nowhere',
    log,
  });
  await mailer.send(message);
  await mailer.send(message);
  await new Promise<void>((resolve) => server.close(() => resolve()));
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
