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
    const memory = new WatchedMemory(large / 2);
    const plenty = large * 100;
    assert.equal(memory.isTooMuch('a', 'little', little, plenty), false);
    assert.equal(memory.isTooMuch('a', 'large', own, plenty), true);
    assert.equal(memory.isTooMuch('a', 'little', little, plenty), false);
    assert.equal(memory.isTooMuch('b', 'little', little, plenty), false);
    memory.forget('a', 'large');
    assert.equal(memory.isTooMuch('a', 'little', little, plenty), false);
    assert.equal(new WatchedMemory(plenty).isTooMuch('a', 'large', own, large / 2), true);
  } finally {
    small.kill('SIGKILL');
  }
});
