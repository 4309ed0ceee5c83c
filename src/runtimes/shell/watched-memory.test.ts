import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { it } from 'node:test';
import { memoryBytesOf } from '#sandbox/processes.ts';
import { WatchedMemory } from './watched-memory.ts';

it('of a site that uses too much it is the sandbox that uses most, and other sites do not count', () => {
  const small = spawn('sleep', ['60']);
  const [own, little] = [process.pid, small.pid ?? 0];
  try {
    const large = memoryBytesOf(own);
    const memory = new WatchedMemory(large / 2, large * 100);
    assert.equal(memory.isTooMuch('a', 'little', little), false);
    assert.equal(memory.isTooMuch('a', 'large', own), true);
    assert.equal(memory.isTooMuch('a', 'little', little), false);
    assert.equal(memory.isTooMuch('b', 'little', little), false);
    memory.forget('a', 'large');
    assert.equal(memory.isTooMuch('a', 'little', little), false);
    assert.equal(new WatchedMemory(large * 100, large / 2).isTooMuch('a', 'large', own), true);
  } finally {
    small.kill('SIGKILL');
  }
});
