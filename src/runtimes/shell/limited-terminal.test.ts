import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command, CommandResult } from '#runtimes/runtime.ts';
import { eventually } from '#testkit/expect.ts';
import { LimitedTerminal } from './limited-terminal.ts';

/** A terminal on a shell that takes a script at a time and knows `cd`, `echo` and `wait`. */
function open(columns = 80) {
  const ran: Command[] = [];
  const run = async (command: Command): Promise<CommandResult> => {
    ran.push(command);
    const [line = '', ending = ''] = String(command.args[2]).split('\n');
    const [, token = ''] = /echo (\w{24})/.exec(ending) ?? [];
    if (line === 'wait')
      await new Promise((resolve) => command.signal?.addEventListener('abort', resolve, { once: true }));
    const cwd = line.startsWith('cd ') ? line.slice(3) : command.cwd;
    const said = line.startsWith('echo ') ? `${line.slice(5)}\n` : '';
    const stdout = line === 'wait' ? '' : `${said}\n${token}${cwd}\n`;
    return { exitCode: line === 'false' ? 1 : 0, stdout, stderr: '', truncated: false, durationMs: 1 };
  };
  const terminal = new LimitedTerminal({ columns, rows: 24 }, run);
  let shown = '';
  terminal.onOutput((bytes) => {
    shown += bytes;
  });
  const type = (text: string) => terminal.write(Buffer.from(text));
  const see = (text: string) => eventually(async () => shown.includes(text)).catch(() => assert.fail(shown));
  return {
    terminal,
    ran,
    type,
    see,
    shown: () => shown,
    lines: () => ran.map(({ args }) => String(args[2]).split('\n')[0]),
  };
}

test('a line runs where the one before it ended, and what it says is shown', async () => {
  const { type, see, ran } = open();
  await see('$ ');
  type('cd /tmp\recho said\r');
  await see('said\r\n');
  assert.equal(ran.at(-1)?.cwd, '/tmp');
});

test('a line can be edited, and brought back', async () => {
  const { type, lines } = open();
  await new Promise((resolve) => setImmediate(resolve));
  type('echo ac\x1b[Db\x7fb\r');
  await eventually(async () => lines().length === 1);
  type('\x1b[A\x01\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C-\r');
  await eventually(async () => lines().length === 2);
  assert.deepEqual(lines(), ['echo abc', 'echo -abc']);
});

test('Ctrl-C ends what runs, and what was typed meanwhile comes next', async () => {
  const { type, see, lines } = open();
  await see('$ ');
  type('wait\r');
  await eventually(async () => lines().length === 1);
  type('echo next\r');
  type('\x03');
  await see('^C');
  await see('next\r\n');
  assert.deepEqual(lines(), ['wait', 'echo next']);
});

test('it ends with exit, with Ctrl-D, and when it is ended', async () => {
  const first = open();
  await first.see('$ ');
  first.type('exit 7\r');
  assert.equal(await first.terminal.ended, 7);
  const second = open();
  await second.see('$ ');
  second.type('false\r\x04');
  assert.equal(await second.terminal.ended, 1);
  const third = open();
  third.terminal.end();
  assert.equal(await third.terminal.ended, 137);
});

test('a line is drawn once for all keys that come together', async () => {
  const { type, see, shown } = open();
  await see('$ ');
  const before = shown().length;
  type(`${'x'.repeat(10_000)}${'\x1b[D'.repeat(10_000)}`);
  assert.ok(shown().length - before < 20_000, `${shown().length - before} characters were drawn`);
  type('y'.repeat(60_000));
  assert.ok(shown().length - before < 50_000, 'a line has an end');
});
