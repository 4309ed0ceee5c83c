import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#core/log.ts';
import type { HostListener, LocalHost } from '#host/local-host.ts';
import { listenForMail } from './listen-for-mail.ts';

test('mail is fetched at once, then every ten seconds at most, and no notification in between is lost', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let listener: HostListener = {};
  const localHost = {
    listen(heard: HostListener) {
      listener = heard;
    },
  } as LocalHost;
  const fetched: string[] = [];
  listenForMail({ log: createLog('silent'), localHost }, async (siteId) => void fetched.push(siteId));
  const tell = (id: string) => listener.mail?.({ id, host: 'local', driver: 'memory' });

  tell('a');
  assert.deepEqual(fetched, ['a']);
  for (let each = 0; each < 5; each++) {
    t.mock.timers.tick(1_999);
    tell('a');
  }
  assert.deepEqual(fetched, ['a'], 'the rest waits for the pause to end');
  tell('b');
  assert.deepEqual(fetched, ['a', 'b'], 'another site has a pause of its own');
  t.mock.timers.tick(5);
  assert.deepEqual(fetched, ['a', 'b', 'a']);
  t.mock.timers.tick(10_000);
  assert.deepEqual(fetched, ['a', 'b', 'a'], 'nothing was told meanwhile');
  tell('a');
  assert.deepEqual(fetched, ['a', 'b', 'a', 'a'], 'and then the next one is at once again');
});

test('a fetch that cannot be requested causes no unhandled error, and the next one is requested', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let listener: HostListener = {};
  const localHost = {
    listen(heard: HostListener) {
      listener = heard;
    },
  } as LocalHost;
  let tries = 0;
  listenForMail({ log: createLog('silent'), localHost }, async () => {
    tries++;
    throw new Error('no database');
  });
  const site = { id: 'a', host: 'local', driver: 'memory' } as const;
  listener.mail?.(site);
  listener.mail?.(site);
  t.mock.timers.tick(10_000);
  await Promise.resolve();
  assert.equal(tries, 2);
});
