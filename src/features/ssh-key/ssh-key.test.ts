import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import ssh2 from 'ssh2';
import { newSshKey } from '#integrations/git/ssh-key.ts';
import { registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBcUNu7tNJbjoLM4qF7Vyj3PrAKyk8mRcoBnOEVmRzNS ada@laptop';

const rsaKey = (bits: number) => ssh2.utils.generateKeyPairSync('rsa', { bits }).public;

test('a key is listed with its fingerprint as ssh-keygen shows it, and its removal is an event of the account', async () => {
  const { api } = await registerPerson(app);
  const made = await api.createSshKey({ body: { public_key: `  ${ED25519}\n` } });
  assert.deepEqual(
    { name: made.name, type: made.type, fingerprint: made.fingerprint, used: made.last_used_at },
    {
      name: 'ada@laptop',
      type: 'ssh-ed25519',
      fingerprint: 'SHA256:Sex143xcppxFa4sQvCLnVv1ysJabDqdXq+X9nMSCQrM',
      used: null,
    },
  );
  const named = await api.createSshKey({ body: { name: 'Work', public_key: newSshKey('x').publicKey } });
  assert.deepEqual(
    (await api.listSshKeys()).results.map(({ id }) => id),
    [named.id, made.id],
  );
  await api.deleteSshKey({ params: { ssh_key_id: made.id } });
  await assert.rejects(api.deleteSshKey({ params: { ssh_key_id: made.id } }), refused(404, 'ssh_key.not_found'));
  const events = (await api.listEvents({ query: { size: 3 } })).results.map(({ event_type }) => event_type);
  assert.deepEqual(events, ['account.ssh_key_removed', 'account.ssh_key_added', 'account.ssh_key_added']);
});

test('what is no good public key is refused with what to do, and a private one above all', async () => {
  const { api } = await registerPerson(app);
  const ecdsa = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 521 });
  for (const public_key of [rsaKey(2048), ecdsa.public]) await api.createSshKey({ body: { public_key } });
  const faults: [RegExp, string][] = [
    [/private key.*\.pub/, newSshKey('x').privateKey],
    [/private key/, 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none'],
    [/RFC 4716/, '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----'],
    [/one line/, `${ED25519}\n${newSshKey('x').publicKey}`],
    [/2048 bits or more.*1024/, rsaKey(1024)],
    [/broken/, ED25519.replace('RzNS', '')],
    [/broken/, ED25519.replace('ssh-ed25519', 'ssh-rsa')],
    [/no public key/, `command="id" ${ED25519}`],
    [/no public key/, 'hello'],
    [/security keys/, ED25519.replace('ssh-ed25519', 'sk-ssh-ed25519@openssh.com')],
    [/DSA/, 'ssh-dss AAAAB3NzaC1kc3MAAACB'],
  ];
  for (const [message, public_key] of faults)
    await assert.rejects(api.createSshKey({ body: { public_key } }), (error: Error) => {
      refused(422)(error);
      assert.match(JSON.stringify(error), message, public_key);
      return true;
    });
});

test('a key is added once for each person, and two people may have the same', async () => {
  const [ada, bob] = [await registerPerson(app), await registerPerson(app)];
  await ada.api.createSshKey({ body: { public_key: ED25519 } });
  await bob.api.createSshKey({ body: { public_key: ED25519 } });
  await assert.rejects(ada.api.createSshKey({ body: { public_key: ED25519 } }), refused(409, 'ssh_key.exists'));
});

test('a key opens nothing over HTTP, and ends with a new password as tokens do', async () => {
  const person = await registerPerson(app);
  const { id } = await person.api.createSshKey({ body: { public_key: ED25519 } });
  const blob = Buffer.from(ED25519.split(' ')[1] as string, 'base64');
  for (const token of [blob.toString('latin1'), blob.toString('base64'), id])
    assert.equal(await app.services.credentials.resolve(token), undefined);
  await person.api.updateMe({ body: { new_password: 'another password', current_password: 'a long enough password' } });
  assert.deepEqual((await person.api.listSshKeys()).results, []);
});
