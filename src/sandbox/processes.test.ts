import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { processesOf } from './processes.ts';

it('the processes that a thread started are found', async () => {
  const program = `
    const { Worker } = require('node:worker_threads');
    new Worker("console.log(require('node:child_process').spawn('sleep', ['60']).pid)", { eval: true });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(parent.stdout, 'data');
  const child = Number(said);
  try {
    assert.deepEqual(processesOf(parent.pid ?? 0), [parent.pid, child]);
  } finally {
    parent.kill('SIGKILL');
    process.kill(child, 'SIGKILL');
  }
});
