import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outbound } from '#core/outbound.ts';
import { GitHostClient } from './git-hosts.ts';

test('a host that lists a million repositories on one page is read as far as a page goes', async () => {
  let asked = 0;
  const outbound = {
    fetch: async () => ({
      status: 200,
      headers: {},
      body: Buffer.from(asked++ === 0 ? `[${'1,'.repeat(1_000_000)}1]` : '[]'),
    }),
  };
  const hosts = new GitHostClient(outbound as unknown as Outbound);
  const account = { provider: 'gitea', baseUrl: 'https://git.example.com', token: 'x' } as const;
  assert.equal((await hosts.repositories(account)).length, 50);
});
