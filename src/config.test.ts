import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

test('an empty environment is a working configuration', () => {
  const config = readConfig({});
  assert.equal(config.port, 8080);
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.baseUrl, 'http://localhost:8080');
  assert.equal(config.role, 'all');
});

test('every fault is named at once', () => {
  const env = {
    PORT: 'x',
    BASE_URL: 'ftp://x',
    ADMIN_PASSWORD: 'short',
    TRUST_PROXY: '10.0.0.0/8,nonsense',
    SMTP_URL: 'http://x',
    SECRET_KEY: 'k',
  };
  assert.throws(
    () => readConfig(env),
    (error: Error) =>
      ['PORT', 'BASE_URL', 'ADMIN_PASSWORD', "'nonsense'", 'SMTP_URL', 'SECRET_KEY'].every((word) =>
        error.message.includes(word),
      ),
  );
});

test('a role of its own needs the shared database and the shared key', () => {
  assert.throws(() => readConfig({ ROLE: 'api' }), /DATABASE_URL[\s\S]*SECRET_KEY/);
  assert.throws(() => readConfig({ ROLE: 'king' }), /one of all, api, worker, edge/);
  assert.equal(
    readConfig({ DATABASE_URL: 'postgres://x/y', SECRET_KEY: 'k'.repeat(32) }, ['--role=worker']).role,
    'worker',
  );
});
