import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

/** What the image, the compose file and the units of systemd say of this repository, without a container engine or a systemd to try it with. */
const ROOT = join(import.meta.dirname, '../..');
const HOME = '/opt/siteyard';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const containerfile = read('deploy/container/Containerfile').replaceAll('\\\n', ' ');
const compose = parse(read('deploy/container/compose.yml')).services.siteyard;
const unit = read('deploy/systemd/siteyard.service');
const instructions = containerfile
  .split('\n')
  .map((line) => /^([A-Z]+)\s+(.*)$/.exec(line))
  .flatMap((match) => (match ? [{ name: match[1] as string, text: match[2] as string }] : []));
const instruction = (wanted: string) => instructions.filter(({ name }) => name === wanted).map(({ text }) => text);

/** The service as `npm start` runs it, where it is installed. */
function started(): string[] {
  const { start } = JSON.parse(read('package.json')).scripts as { start: string };
  const [node, ...args] = start.split(' exec env ')[1]?.split(' ') ?? [];
  assert.equal(node, 'node');
  return [`${HOME}/node_modules/.bin/node`, ...args.map((arg) => (arg.startsWith('-') ? arg : join(HOME, arg)))];
}

function isIgnored(path: string): boolean {
  const patterns = read('.dockerignore').split('\n').filter(Boolean);
  return patterns.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`));
}

test('the image and the unit of systemd run what npm start runs', () => {
  const [entry = ''] = instruction('ENTRYPOINT');
  assert.deepEqual(JSON.parse(entry), ['/usr/bin/tini', '--', ...started()]);
  const run = [...unit.matchAll(/^ExecStart(?:Pre)?=(.*)$/gm)].map((match) => (match[1] as string).split(' '));
  assert.deepEqual(run, [[...started(), 'doctor', '--offline'], started()]);
  assert.deepEqual(new Set(instruction('WORKDIR')), new Set([HOME]));
});

test('whatever the image is built with is in the repository, and the build is given it', () => {
  const used = instruction('RUN').flatMap((text) => text.match(/(?<![\w./-])(?:scripts|src|deploy)\/[\w./-]+/g) ?? []);
  assert.ok(used.length > 0);
  for (const path of [...used, 'package.json', 'package-lock.json', '.npmrc', 'scripts/setup.mjs', 'src/main.ts']) {
    assert.ok(existsSync(join(ROOT, path)), `there is no ${path}`);
    assert.ok(!isIgnored(path), `${path} is left out of the build`);
  }
  const made = instruction('RUN').join('\n');
  for (const copy of instruction('COPY').filter((text) => text.includes('--from='))) {
    const source = copy.split(' ').filter((word) => !word.startsWith('--'))[0] as string;
    assert.ok(source === HOME || made.includes(`${source} `), `nobody makes ${source}`);
  }
});

test('the compose file builds that image, keeps the data in its volume, and what is secret is in no image', () => {
  const folder = 'deploy/container';
  const { context, dockerfile } = compose.build;
  assert.equal(resolve(ROOT, folder, context), ROOT);
  assert.ok(existsSync(join(ROOT, dockerfile)));
  const [, dataDir] = /DATA_DIR=(\S+)/.exec(containerfile) ?? [];
  assert.deepEqual(instruction('VOLUME'), [dataDir]);
  assert.deepEqual(compose.volumes, [`data:${dataDir}`]);
  for (const path of [join(folder, compose.env_file), 'data/mail', 'node_modules/x', '.git/config'])
    assert.ok(isIgnored(path), `${path} would be in the image`);
});

test('the install lines of the unit, which are those of the guide, make every file that the units name', (t) => {
  const lines = [...unit.matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line as string);
  for (const line of lines)
    assert.ok(read('docs/guides/production.md').includes(`\n${line}\n`), `not in the guide: ${line}`);
  const root = mkdtempSync(join(tmpdir(), 'siteyard-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['opt', 'bin', 'etc/systemd/system']) mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(ROOT, join(root, HOME));
  // What belongs to the machine is only recorded; all else runs, with / moved to a folder of the test.
  for (const program of ['node', 'systemctl'])
    writeFileSync(join(root, 'bin', program), `#!/bin/sh\necho "${program} $*" >> "${root}/called"\n`, { mode: 0o755 });
  const script = lines.join('\n').replaceAll(/(?<=[\s>])\/(?=opt|etc)/g, `${root}/`);
  const env = { PATH: `${root}/bin:${process.env.PATH}` };
  const { status, stderr } = spawnSync('sh', ['-eu'], { input: script, env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);

  const installed = globSync('*', { cwd: join(root, 'etc/systemd/system') });
  const called = readFileSync(join(root, 'called'), 'utf8').trim().split('\n');
  const [setup, ...systemctl] = called;
  assert.equal(setup, 'node scripts/setup.mjs');
  assert.deepEqual(systemctl, [
    'systemctl daemon-reload',
    'systemctl enable --now siteyard.service siteyard-platform-backup.timer',
  ]);
  for (const name of installed) {
    const named = readFileSync(join(root, 'etc/systemd/system', name), 'utf8').matchAll(/(?<==)\/etc\/[\w./-]+/g);
    for (const [file] of named) assert.equal(statSync(join(root, file)).mode & 0o777, 0o600, `${name} names ${file}`);
  }
  for (const name of systemctl[1]?.split(' ').slice(3) ?? []) assert.ok(installed.includes(name), name);
});
