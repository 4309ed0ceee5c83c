import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { eventually } from '#testkit/expect.ts';

/** What the people of a site try from its shell, in every way that this machine has to keep them apart. */
const PLATFORM = join(import.meta.dirname, 'attacked-platform.ts');
const SECRET = 'the-secret-of-the-platform';
const isRoot = process.getuid?.() === 0;
/** As a plain user: somebody who has no rights, and nothing else. */
const NOBODY = 65534;
const AS_NOBODY = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
const LIMIT_MS = 180_000;

function start(mode: string, prefix: readonly string[], ...flags: string[]): ChildProcess {
  const [file = '', ...args] = [
    ...prefix,
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    PLATFORM,
    mode,
    ...flags,
  ];
  return spawn(file, args, {
    env: { ...process.env, ATTACK_SECRET: SECRET, ...(prefix.length > 0 && { TMPDIR: folderOfNobody() }) },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
}

/** What is the test run's own is closed to others. */
function folderOfNobody(): string {
  const folder = mkdtempSync('/tmp/attacks-');
  chownSync(folder, NOBODY, NOBODY);
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function mayRead([file, ...args]: readonly string[]): boolean {
  return file === undefined || spawnSync(file, [...args, 'test', '-r', PLATFORM]).status === 0;
}

async function attack(mode: string, prefix: readonly string[] = []): Promise<Record<string, unknown>> {
  const child = start(mode, prefix);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(child, 'close');
  return JSON.parse(text);
}

function check({ rights, memory, tools, ...found }: Record<string, unknown>): void {
  assert.deepEqual(found, {
    environment: '',
    neighbour: '',
    links: '',
    writes: '',
    mounts: '',
    namespaces: '',
    signals: 137,
    bystander: true,
    network: '',
    tmp: 'full\n',
    left: '',
    flood: { length: 100_000, exitCode: 137 },
    bomb: 124,
    disk: {
      file: [0, 'refused\nrefused\n', true],
      files: [137, '', true],
      asked: [0, 'Operation not supported\n', true],
      deleted: [137, '', true],
      hidden: [137, '', true],
      over: [0, 'refused\ndeleted\n', true],
    },
    memoryFile: 137,
    daemons: 0,
    after: 'php\n',
    ended: [137, 0],
  });
  assert.match(String(rights), /CapEff:\t0000000000000000\nNoNewPrivs:\t1\n/);
  assert.equal(memory, true);
  assert.deepEqual(tools, { most: 4, answered: 4, refused: 2 });
}

const MODES: [name: string, mode: string, prefix?: readonly string[]][] = isRoot
  ? [
      ['root, with a uid a site', 'uids'],
      ['root', 'root'],
      ['a plain user', 'user', AS_NOBODY],
    ]
  : [['a plain user', 'user']];

// All at once: most of the time they wait.
suite('attacks from the shell', { concurrency: true }, () => {
  for (const [name, mode, prefix = []] of MODES) {
    test(`as ${name}: nothing outside is seen, changed or reached, and nothing is left`, async (t) => {
      if (!mayRead(prefix)) return t.skip('a plain user may not read this checkout');
      const found = await attack(mode, prefix);
      if ('missing' in found) return t.skip(String(found.missing));
      check(found);
    });
  }
});

test('what runs in a sandbox ends with a service that is killed', async (t) => {
  const child = start('auto', [], '--hold');
  const [said] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer];
  if (said.toString().includes('missing')) return t.skip(said.toString());
  assert.equal(sleepers(97801), 2);
  child.kill('SIGKILL');
  await eventually(async () => sleepers(97801) === 0, 60_000);
});

function sleepers(seconds: number): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  }).length;
}
