import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNameServer } from '#testkit/servers/name-server.ts';
import { startZoneServer, withoutZoneServer, type ZoneServer } from '#testkit/servers/zone-server.ts';
import { createDns } from './dns.ts';
import { isSigned, readUpdateKey, sign, type UpdateKey } from './tsig.ts';
import { UpdateRefused, ZoneUpdates } from './zone-updates.ts';

const NEVER = new AbortController().signal;
const keyOf = (text: string) => readUpdateKey(text) as UpdateKey;

suite('records in a zone of a real name server', { skip: withoutZoneServer }, () => {
  let server: ZoneServer;
  before(async () => {
    server = await startZoneServer('sites.example', 'alias CNAME other\ndelegated.sub NS ns.elsewhere.example.');
  });
  after(() => server?.close());
  const updates = (key = server.key) =>
    new ZoneUpdates({ address: '127.0.0.1', port: server.port, key: keyOf(key) }, createDns([server.address]));

  test('are written with a key, take the place of what was left there, and go again', async () => {
    const name = '_acme-challenge.sites.example';
    await updates().setText(name, 'left by a process that was killed', NEVER);
    const remove = await updates().setText(name, 'proof', NEVER);
    assert.deepEqual(await server.texts(name), ['proof']);
    await remove();
    assert.deepEqual(await server.texts(name), []);
  });

  test('of a name that is an alias are those of the other name', async () => {
    const remove = await updates().setText('alias.sites.example', 'proof', NEVER);
    assert.deepEqual(await server.texts('other.sites.example'), ['proof']);
    await remove();
  });

  test('with a wrong key, or in a zone that is not there, are refused with the reason', async () => {
    const wrong = server.key.replace(/[^:]+$/, Buffer.alloc(32, 1).toString('base64'));
    const refusal = (pattern: RegExp) => (error: Error) =>
      error instanceof UpdateRefused && pattern.test(error.message);
    await assert.rejects(updates(wrong).setText('a.sites.example', 'x', NEVER), refusal(/NOTAUTH/));
    await assert.rejects(updates().setText('a.elsewhere.test', 'x', NEVER), refusal(/no zone with a\.elsewhere\.test/));
  });
});

test('are waited for until every server of the zone that answers has them', { skip: withoutZoneServer }, async (t) => {
  // The second server hears of the change later than the first.
  const second = await startNameServer({ 'late.example': '@ NS ns\nns A 127.0.0.1' });
  t.after(() => second.close());
  const first = await startZoneServer('late.example');
  t.after(() => first.close());
  const dns = createDns([second.address]);
  const zone = { address: '127.0.0.1', port: first.port, key: keyOf(first.key) };
  const updates = new ZoneUpdates(zone, dns, Number(second.address.split(':')[1]));
  let isDone = false;
  const setting = updates.setText('proof.late.example', 'here', NEVER).then(() => {
    isDone = true;
  });
  await sleep(300);
  assert.equal(isDone, false);
  await second.write('late.example', '@ NS ns\nns A 127.0.0.1\nproof TXT "here"');
  await setting;
});

test('an answer that was changed on its way, or is signed with another key, is not taken', () => {
  const key = keyOf('hmac-sha256:one:c2VjcmV0');
  const question = sign(Buffer.from('000128000000000000000000', 'hex'), key);
  // As a server signs: over the signature of what it answers.
  assert.equal(isSigned(question.signed, key, Buffer.alloc(0)), false);
  assert.equal(isSigned(Buffer.from('000128000000000000000000', 'hex'), key, question.mac), false);
});

test('a key is read as nsupdate takes it', () => {
  assert.deepEqual(readUpdateKey('hmac-sha512:a.key:c2VjcmV0'), {
    algorithm: 'hmac-sha512',
    name: 'a.key',
    secret: Buffer.from('secret'),
  });
  for (const wrong of ['', 'a.key:c2VjcmV0', 'hmac-md5:a:c2VjcmV0', 'hmac-sha256:a:not base64'])
    assert.equal(readUpdateKey(wrong), undefined, wrong);
});
