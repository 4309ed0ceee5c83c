import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endGroup } from './end-group.ts';
import { runProgram, startPeer, startProgram } from './starter.ts';

const OPTIONS = { cwd: '/', env: { PATH: '/usr/bin:/bin' } };
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let look = 0; look < 500 && !condition(); look++) await sleep(20);
  assert.ok(condition());
}

const sh = (script: string, hasInput = false) => startProgram('/bin/sh', ['-c', script], { ...OPTIONS, hasInput });

test('a program has its streams, its environment, its folder and its end', async () => {
  const program = await startProgram('/bin/sh', ['-c', 'cat; echo "$WORD $PWD" >&2; exit 7'], {
    cwd: '/usr',
    env: { ...OPTIONS.env, WORD: 'ü' },
    hasInput: true,
  });
  program.stdin?.end('said to it');
  const [out, err, exit] = await Promise.all([text(program.stdout), text(program.stderr), program.closed]);
  assert.deepEqual([out, err, exit], ['said to it', 'ü /usr\n', { code: 7, signal: null }]);
});

test('without input it reads an end, a signal is told, and what is not there is said', async () => {
  assert.equal((await runProgram('wc', ['-c'], OPTIONS)).stdout.trim(), '0');
  const killed = await sh('kill -9 $$');
  killed.stdout.resume();
  killed.stderr.resume();
  assert.deepEqual(await killed.closed, { code: null, signal: 'SIGKILL' });
  await assert.rejects(startProgram('/nowhere/at-all', [], OPTIONS), { code: 'ENOENT' });
  await assert.rejects(runProgram('sh', ['-c', 'echo no >&2; exit 3'], OPTIONS), { code: 3, stderr: 'no\n' });
});

test('many at once get each their own, and 20 MB come whole', async () => {
  const words = Array.from({ length: 40 }, (_, number) => `word ${number}`);
  const answers = await Promise.all(words.map((word) => runProgram('echo', [word], OPTIONS)));
  assert.deepEqual(
    answers.map(({ stdout }) => stdout.trim()),
    words,
  );
  const large = await sh('head -c 20000000 /dev/zero');
  large.stderr.resume();
  assert.equal((await buffer(large.stdout)).length, 20_000_000);
});

test('of what somebody wants the beginning only, that comes exactly, and the program goes on to its end', async () => {
  const script = 'head -c 3000000 /dev/zero; echo error >&2; exit 3';
  const program = await startProgram('/bin/sh', ['-c', script], { ...OPTIONS, keptBytes: 1_000_000 });
  const [out, err, exit] = await Promise.all([buffer(program.stdout), text(program.stderr), program.closed]);
  assert.deepEqual([out.length, err, exit.code], [1_000_000, 'error\n', 3]);
});

test('when the service is killed, what it started ends too', async () => {
  const service = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    `const { startProgram } = await import(${JSON.stringify(new URL('starter.ts', import.meta.url).href)});
     const { pid } = await startProgram('sleep', ['1000'], ${JSON.stringify(OPTIONS)});
     console.log(pid); setInterval(() => {}, 1000);`,
  ]);
  const [line] = (await once(createInterface(service.stdout), 'line')) as [string];
  assert.ok(isThere(Number(line)));
  service.kill('SIGKILL');
  await until(() => !isThere(Number(line)));
});

test('when the starter is killed, what it started ends too, and the next program gets a new one', async () => {
  const program = await startProgram('sleep', ['1000'], OPTIONS);
  program.stdout.resume();
  program.stderr.resume();
  const { stdout } = await runProgram('sh', ['-c', 'echo $PPID'], OPTIONS);
  process.kill(Number(stdout), 'SIGKILL');
  assert.deepEqual(await program.closed, { code: null, signal: null });
  await until(() => !isThere(program.pid));
  assert.equal((await runProgram('echo', ['again'], OPTIONS)).stdout, 'again\n');
});

test('what makes no sense on a channel ends the channel, and nothing else', async () => {
  const script = String.raw`printf '\004\000\000\000\001\002\003\004' >&3; sleep 1000`;
  const { channel, pid } = await startPeer('/bin/sh', ['-c', script], OPTIONS);
  await once(channel, 'close');
  endGroup(pid);
});
