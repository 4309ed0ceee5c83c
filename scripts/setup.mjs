#!/usr/bin/env node
/**
 * Makes a fresh checkout ready for `npm start`: packages, the pinned Node, the dashboard and the service in a few files. `--dev` installs the
 * packages of development and builds nothing, `--test` installs them and builds, and `--tools` also installs the programs that the full tier of
 * the tests needs from the machine. It runs before anything is installed and on the machine's own Node, so it is plain JavaScript on Node 20
 * that imports no package. A finished step costs only the check of its stamp. Every stamp is written last, so a step that was killed is
 * repeated.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lackingBuilds } from './native-builds.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);
const withTools = process.argv.includes('--tools');
const onlyPackages = process.argv.includes('--dev');
const forTests = withTools || onlyPackages || process.argv.includes('--test');
// Outside of node_modules, which `npm ci` deletes first. The stamp belongs inside: it goes with the packages that it describes.
const lockFile = at('.cache/setup.lock');
const prometheusFolder = at('.cache/prometheus');
const packagesStamp = at('node_modules/.siteyard-setup.json');
const pinnedNode = at('node_modules/.bin/node');

// The service refuses to start where these differ from what it was built with (src/core/build-stamp.ts).
const STAMPED = ['package.json', 'migrations'];

/** What is made of sources, and made again when they changed. */
const BUILDS = [
  { name: 'dashboard', config: 'web/vite.config.ts', sources: ['web', 'sdk'], output: 'web/dist' },
  {
    name: 'service',
    config: 'scripts/service.vite.ts',
    sources: ['src', 'scripts/service.vite.ts', ...STAMPED],
    output: 'dist',
  },
  // These two after the service, which empties the folder.
  {
    name: 'pages that the service draws',
    config: 'web/server.vite.ts',
    sources: ['web', 'sdk'],
    output: 'dist/dashboard',
  },
  {
    name: 'programs beside the service',
    config: 'scripts/programs.vite.ts',
    sources: ['src', 'scripts/service.vite.ts', 'scripts/programs.vite.ts'],
    output: 'dist/programs',
  },
  { name: 'command line', config: 'cli/vite.config.ts', sources: ['cli', 'sdk'], output: 'cli/dist' },
  ...(forTests
    ? [
        {
          name: 'service for tests',
          config: 'testkit/app/service.vite.ts',
          sources: [
            'src',
            'scripts/service.vite.ts',
            ...STAMPED,
            'testkit/app/service.ts',
            'testkit/app/service.vite.ts',
            'testkit/drivers/memory',
          ],
          output: 'dist-test',
        },
      ]
    : []),
];

const FPM_PACKAGES = ['fpm', 'cli', 'sqlite3', 'mysql', 'curl', 'gd', 'mbstring', 'xml', 'zip', 'intl'].map(
  (name) => `php-${name}`,
);
const APT_INSTALL = ['install', '-y', '--no-install-recommends'];

class SetupError extends Error {}

try {
  if (needsWork()) await underLock(setUp);
  checkNode();
} catch (error) {
  const closed = ['EACCES', 'EPERM', 'EROFS'].includes(error.code);
  if (!(error instanceof SetupError) && !closed) throw error;
  const advice = closed ? '. Run this as the user who owns the checkout.' : '';
  console.error(`\nSiteyard is not set up: ${error.message}${advice}`);
  process.exit(1);
}

function needsWork() {
  return !packagesAreFresh() || (!onlyPackages && !BUILDS.every(isFresh)) || missingTools().length > 0;
}

async function setUp() {
  // The tools come from other servers than the packages, and nothing is built with them.
  await together(installTools(), installAndBuild());
}

async function installAndBuild() {
  if (!packagesAreFresh()) await installPackages();
  checkNode();
  linkCommand();
  if (onlyPackages) return;
  const areOfService = ({ output }) => output.startsWith('dist');
  await together(makeStale(BUILDS.filter(areOfService)), makeStale(BUILDS.filter((build) => !areOfService(build))));
}

async function makeStale(builds) {
  for (const build of builds) if (!isFresh(build)) await make(build);
}

/** Ends when all have, since what was started must not outlive us; with the first failure where there is one. */
async function together(...works) {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

// Packages

function packagesAreFresh() {
  const stamp = readStamp();
  // Everything includes what running needs, so a start after the tests has nothing to remove.
  return stamp.hash === packagesHash() && (stamp.level === 'all' || stamp.level === wantedLevel());
}

/** A checkout that has the tools of development keeps them, whoever installed them. */
function wantedLevel() {
  return forTests || readStamp().level === 'all' || existsSync(at('node_modules', 'typescript')) ? 'all' : 'run';
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(packagesStamp, 'utf8'));
  } catch {
    return {};
  }
}

function packagesHash() {
  // A checkout may be shared between machines, and half of the packages are programs for one kind of machine.
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const name of ['package.json', 'package-lock.json'])
    if (existsSync(at(name))) hash.update(readFileSync(at(name)));
  return hash.digest('hex');
}

/** Installs exactly what the lock says. Checking the level comes first, since `npm ci` starts by deleting node_modules. */
async function installPackages() {
  const level = wantedLevel();
  const hash = packagesHash();
  console.log('Siteyard: installing packages. This takes a minute the first time.');
  rmSync(packagesStamp, { force: true });
  const dev = level === 'all' ? '--include=dev' : '--omit=dev';
  // npm must not run on the very Node that it may replace.
  const path = (process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.startsWith(at('node_modules')));
  await run('npm', ['ci', '--no-audit', '--no-fund', '--include=optional', dev], {
    env: { ...process.env, PATH: path.join(delimiter) },
    hint: 'npm could not install the packages. Check that this machine reaches its npm registry, then try again.',
  });
  checkPinnedNodeRuns();
  checkBuilds(level);
  writeFileSync(packagesStamp, JSON.stringify({ hash, level }));
}

/** npm leaves out a build that the registry lacks without a word; then something would fail later, and less clearly. */
function checkBuilds(level) {
  if (process.platform !== 'linux') return;
  const lock = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'));
  const [lacking] = lackingBuilds(lock, [process.arch], (place) => existsSync(at(place))).filter(
    ({ isDev }) => level === 'all' || !isDev,
  );
  if (!lacking) return;
  const { name, version, machine } = lacking;
  throw new SetupError(
    `the package ${name}${version && ` ${version}`} came without its build for this machine (linux-${machine} with glibc). ` +
      'Check that your npm registry has it, remove node_modules and try again.',
  );
}

// Node

function checkNode() {
  if (existsSync(pinnedNode) || Number.parseInt(process.versions.node, 10) >= 24) return;
  const name = `node-${process.platform}-${process.arch}`;
  const version = readPackage().optionalDependencies[name];
  throw new SetupError(
    version
      ? `the package ${name}@${version} is missing although it was asked for. Check that your npm registry has it ` +
          `(npm view ${name}@${version}), remove node_modules and try again; or put Node 24 first on PATH.`
      : `Siteyard needs Node 24 and brings its own on Linux x64 and arm64 only; this is Node ${process.versions.node} ` +
          `on ${process.platform} ${process.arch}. Install Node 24 (https://nodejs.org) and try again.`,
  );
}

function checkPinnedNodeRuns() {
  if (!existsSync(pinnedNode)) return;
  const { status, error, stderr } = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' });
  if (status === 0) return;
  throw new SetupError(
    `the Node that came with the packages (${pinnedNode}) does not run here: ${error?.message ?? stderr.trim()}. ` +
      'It needs a Linux with glibc 2.28 or newer, such as Debian 10.',
  );
}

function readPackage() {
  return JSON.parse(readFileSync(at('package.json'), 'utf8'));
}

// Builds

function stampOf({ output }) {
  return at(output, '.stamp');
}

function isFresh(build) {
  return existsSync(stampOf(build)) && readFileSync(stampOf(build), 'utf8') === sourcesHash(build);
}

function sourcesHash({ sources }) {
  const hash = createHash('sha256').update(readFileSync(at('package-lock.json')));
  for (const file of sources.flatMap((source) => filesBelow(at(source))).sort()) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory()) return ['dist', 'node_modules'].includes(entry.name) ? [] : filesBelow(below);
    return entry.isFile() && !entry.name.includes('.test.') ? [below] : [];
  });
}

async function make(build) {
  const hash = sourcesHash(build);
  console.log(`Siteyard: building the ${build.name}.`);
  rmSync(stampOf(build), { force: true });
  const node = existsSync(pinnedNode) ? pinnedNode : process.execPath;
  const vite = at('node_modules/vite/bin/vite.js');
  if (!existsSync(vite)) throw new SetupError('vite is not installed, so package.json must name it in dependencies.');
  await run(node, [vite, 'build', '--config', build.config, '--logLevel', 'warn'], {
    hint: `the ${build.name} could not be built.`,
  });
  writeFileSync(stampOf(build), hash);
}

/** `npx siteyard` takes what stands here; without it npm would first make the whole checkout a package of its cache. */
function linkCommand() {
  const link = at('node_modules/.bin/siteyard');
  rmSync(link, { force: true });
  symlinkSync('../../cli/bin/siteyard.cjs', link);
}

// Tools of the tests

function missingTools() {
  if (!withTools) return [];
  const missing = [];
  if (!findChromium()) missing.push({ name: 'Chromium', packages: ['chromium-headless-shell', 'fonts-liberation'] });
  if (!onPath('git')) missing.push({ name: 'git', packages: ['git'] });
  if (!onPath('prometheus') && !existsSync(join(prometheusFolder, 'usr/bin/prometheus')))
    missing.push({ name: 'Prometheus', packages: ['prometheus'], unpackTo: prometheusFolder });
  // The outside world of the tests: an ssh server, and certificates for servers on loopback.
  if (!onPath('sshd')) missing.push({ name: 'sshd', packages: ['openssh-server', 'openssh-client'] });
  if (!onPath('openssl')) missing.push({ name: 'openssl', packages: ['openssl'] });
  // What the disk is asked, for the test of power cuts.
  if (!onPath('strace')) missing.push({ name: 'strace', packages: ['strace'] });
  // Sites on native PHP and their databases. Where nothing may be installed, their tests say so and are skipped.
  if (mayInstall() && !hasFpm()) missing.push({ name: 'PHP-FPM', packages: FPM_PACKAGES });
  if (mayInstall() && !onPath('mariadbd')) missing.push({ name: 'MariaDB', packages: ['mariadb-server'] });
  // A zone that takes updates, for wildcard certificates.
  if (mayInstall() && !onPath('knotd')) missing.push({ name: 'Knot DNS', packages: ['knot'] });
  return missing;
}

function hasFpm() {
  const folder = '/usr/sbin';
  return existsSync(folder) && readdirSync(folder).some((name) => /^php-fpm\d/.test(name));
}

function mayInstall() {
  return isDebian() && process.getuid?.() === 0;
}

function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given && !existsSync(given)) throw new SetupError(`CHROMIUM_PATH names ${given}, which does not exist.`);
  return given ?? ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].find(onPath);
}

function onPath(program) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin'].some((dir) =>
    existsSync(join(dir, program)),
  );
}

async function installTools() {
  const missing = missingTools();
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(' and ');
  const packages = missing.flatMap((tool) => tool.packages);
  const command = `apt-get ${APT_INSTALL.join(' ')} ${packages.join(' ')}`;
  if (!mayInstall()) {
    throw new SetupError(
      `the tests need ${names}. On Debian: sudo ${command}. Elsewhere install ${names} by the system's own means; ` +
        'a Chromium or Chrome outside of PATH is named by CHROMIUM_PATH.',
    );
  }
  console.log(`Siteyard: installing ${names} for the tests. This takes a minute, once.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { env, hint: `apt-get update failed, so the tests have no ${names}.` });
  const installed = missing.filter((tool) => !tool.unpackTo).flatMap((tool) => tool.packages);
  if (installed.length > 0)
    await withoutServices(() =>
      run('apt-get', [...APT_INSTALL, ...installed], { env, hint: `apt-get could not install ${installed}.` }),
    );
  for (const tool of missing) if (tool.unpackTo) await unpack(tool, env);
  const still = missingTools();
  if (still.length > 0) throw new SetupError(`apt-get succeeded, but there is still no ${still[0].name}.`);
}

/** Debian starts the servers that it installs; with this file it does not. One that the machine has already says enough. */
async function withoutServices(work) {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return work();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    rmSync(policy, { force: true });
  }
}

/** Only the programs of a package, beside ours: installing it would start a service on the machine. */
async function unpack({ name, packages, unpackTo }, env) {
  const draft = `${unpackTo}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  await run('apt-get', ['download', ...packages], { env, cwd: draft, hint: `apt-get could not download ${name}.` });
  const archives = readdirSync(draft);
  for (const archive of archives) await run('dpkg', ['-x', archive, '.'], { cwd: draft, hint: `no ${name}.` });
  for (const archive of archives) rmSync(join(draft, archive));
  rmSync(unpackTo, { recursive: true, force: true });
  renameSync(draft, unpackTo);
}

/** Ubuntu's chromium package is only a pointer to a snap, which containers and many servers can not install. */
function isDebian() {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

// Running programs, one set-up at a time

/** Quiet unless it fails; then everything the program said is shown. */
async function run(command, args, { env = process.env, cwd = root, hint }) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid) appendFileSync(lockFile, ` ${child.pid}`);
  const stop = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  if (end === 0) return;
  console.error(output);
  throw new SetupError(`${hint} (${command} ${args.join(' ')}: ${end})`);
}

/** Two npm in one node_modules spoil it, be the other one a second start or what a killed set-up left running. */
async function underLock(work) {
  mkdirSync(dirname(lockFile), { recursive: true });
  for (let waited = false; !takeLock(); waited = true) {
    if (!waited) console.log('Siteyard: waiting for another set-up of this checkout to finish.');
    await sleep(200);
  }
  try {
    if (needsWork()) await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function takeLock() {
  // Linked into place, so that nobody ever reads a lock without a pid in it and takes it for an old one.
  const own = `${lockFile}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, lockFile);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (existsSync(lockFile) && !readFileSync(lockFile, 'utf8').split(' ').some(isAtWork))
      rmSync(lockFile, { force: true });
    return false;
  } finally {
    rmSync(own);
  }
}

/** A pid in an old lock may belong to anything by now, so its command line has to be one of ours. */
function isAtWork(pid) {
  if (Number(pid) === process.pid) return false;
  try {
    return /setup\.mjs|npm|vite|apt-get|dpkg/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
}
