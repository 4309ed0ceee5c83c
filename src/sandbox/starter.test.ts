import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { Starter } from './starter.ts';

const MB = 1024 * 1024;

suite('programs that are started for us', () => {
  const folder = mkdtempSync(join(tmpdir(), 'starter-'));
  let starter: Starter;
  before(async () => {
    starter = await Starter.open(join(folder, 'starter.sock'));
  });
  after(() => {
    starter.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (script: string, keptBytes?: number) =>
    starter.start({
      file: '/bin/sh',
      args: ['-c', script],
      env: { PATH: process.env.PATH ?? '', OWN: 'mine' },
      hasInput: true,
      ...(keptBytes !== undefined && { keptBytes }),
    });

  test('have streams and an end of their own, and nothing of ours', async () => {
    const scripts = ['cat; env | sort; echo oops >&2; exit 7', 'cat; echo none; kill -9 $$'];
    const [first, second] = await Promise.all(scripts.map((script) => start(script)));
    assert.ok(first && second);
    const parent = readFileSync(`/proc/${first.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1];
    assert.equal(parent, String(starter.pid));
    const ends = [first, second].map((program) => once(program, 'close'));
    first.stdin?.end('given ü\n');
    second.stdin?.end();
    const [out, error, other] = await Promise.all([text(first.stdout), text(first.stderr), text(second.stdout)]);
    assert.match(out, /^given ü\nOWN=mine\nPATH=.*\nPWD=\/\n$/);
    assert.deepEqual([error, other], ['oops\n', 'none\n']);
    assert.deepEqual(await Promise.all(ends), [
      [7, null],
      [null, 'SIGKILL'],
    ]);
  });

  test('give the first part of what they write, exactly, and go on to their end', async () => {
    const exact = await start('head -c 3000000 /dev/zero; echo error >&2', MB);
    const closed = once(exact, 'close');
    const [out, error] = await Promise.all([text(exact.stdout), text(exact.stderr)]);
    assert.deepEqual([out.length, error], [MB, 'error\n']);
    assert.deepEqual(await closed, [0, null]);
  });

  test('what can not be started says so, and the end of what starts them is theirs', async () => {
    const spawn = { file: '/no/such', args: [], env: {}, hasInput: false };
    await assert.rejects(starter.start(spawn), /ENOENT/);
    const running = await start('exec sleep 100');
    const closed = once(running, 'close');
    const before = starter.pid;
    process.kill(before, 'SIGKILL');
    process.kill(running.pid, 'SIGKILL');
    assert.deepEqual(await closed, [null, 'SIGKILL']);
    assert.notEqual(starter.pid, before);
    const next = await start('echo again');
    assert.equal(await text(next.stdout), 'again\n');
  });
});
