#!/usr/bin/env node
/**
 * The image of the pods, without a registry and without a builder: the Debian root that base-image.sh made, and over it this checkout as
 * deploy/container/Containerfile would build it. Writes tars that `ctr images import` takes.
 *   node image.mjs TAG [--label NAME=VALUE]… : localhost/siteyard:TAG, with the present state of the checkout
 *   node image.mjs TAG --thin                : without the layer of Debian, for nodes that have another tag
 *   node image.mjs TAG --thin --same-program : another tag of what was built last
 *   node image.mjs TAG --of FOLDER           : of another checkout, which has been set up
 *   node image.mjs --pause                   : localhost/pause:1
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const of = process.argv.indexOf('--of');
const repository = of > 0 ? process.argv[of + 1] : fileURLToPath(new URL('../..', import.meta.url));
const cache = process.env.CLUSTER_DIR ?? join(homedir(), '.cache/siteyard/cluster');
const images = join(cache, 'images');
const HOME = '/opt/siteyard';
const PREPARED = '/opt/siteyard-cache';
/** Whom pods run as. */
const USER = 10_001;
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch];

async function main([tag, ...rest]) {
  mkdirSync(images, { recursive: true });
  if (tag === '--pause') return makePause();
  if (!/^[a-z0-9.-]+$/.test(tag ?? ''))
    throw new Error('A tag is small letters, digits, dots and dashes: node image.mjs 1');
  const labels = Object.fromEntries(rest.filter((word) => word.includes('=')).map((word) => word.split('=', 2)));
  const base = join(cache, 'base.tar');
  if (!existsSync(base)) throw new Error(`There is no ${base}: run base-image.sh first.`);
  const program = join(cache, 'program.tar');
  const isSame = rest.includes('--same-program');
  if (!isSame) makeProgram(program);
  // A node that has another tag has the layers that are the same, and takes the rest alone.
  const layers = [
    { file: base, isThere: rest.includes('--thin') },
    { file: program, isThere: isSame },
  ];
  await writeImage(`siteyard-${tag}.tar`, `localhost/siteyard:${tag}`, layers, {
    Env: [
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'NODE_ENV=production',
      'DATA_DIR=/var/lib/siteyard',
      'HOST=0.0.0.0',
      'PORT=8080',
    ],
    WorkingDir: HOME,
    Entrypoint: [
      '/usr/bin/tini',
      '--',
      `${HOME}/node_modules/.bin/node`,
      '--disable-warning=ExperimentalWarning',
      `${HOME}/dist/main.js`,
    ],
    Labels: labels,
  });
}

/** The service knows where its files are, so it is built where it will lie: this checkout's files, in mounts of its own, at that very place. */
function makeProgram(target) {
  const stage = join(cache, 'program');
  const place = join(stage, HOME);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8', maxBuffer: 1e8 }).split(
    '\0',
  );
  for (const file of files) {
    if (file === '' || /^(test|bench)\//.test(file) || !existsSync(join(repository, file))) continue;
    mkdirSync(dirname(join(place, file)), { recursive: true });
    copyFileSync(join(repository, file), join(place, file));
  }
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  const wanted = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  );
  const outermost = wanted.map(([path]) => path).filter((path) => existsSync(join(repository, path)));
  for (const path of ['node_modules/.bin', ...outermost]) {
    if (existsSync(join(place, path))) continue;
    mkdirSync(dirname(join(place, path)), { recursive: true });
    run('cp', ['-a', join(repository, path), join(place, path)]);
  }
  const stamp = 'node_modules/.siteyard-setup.json';
  copyFileSync(join(repository, stamp), join(place, stamp));
  const prepared = join(stage, PREPARED);
  const compiled = join(place, 'node_modules/.cache/siteyard');
  for (const folder of [prepared, compiled]) {
    mkdirSync(folder, { recursive: true });
    run('chown', [`${USER}:${USER}`, folder]);
  }
  const node = `${HOME}/node_modules/.bin/node`;
  // npm, where it runs this, names a cache that is root's.
  const asUser = `setpriv --reuid ${USER} --regid ${USER} --clear-groups env --unset=npm_config_cache HOME=/tmp`;
  const [upper, work, base] = [join(cache, 'opt.upper'), join(cache, 'opt.work'), join(cache, 'base.usr')];
  for (const folder of [upper, work, base]) mkdirSync(folder, { recursive: true });
  run('tar', ['-C', base, '-xf', join(cache, 'base.tar'), './usr']);
  const steps = [
    // The machine's own /opt stays as it is, and may hold its npm.
    `mount -t overlay overlay -o lowerdir=/opt,upperdir='${upper}',workdir='${work}' /opt`,
    `mkdir -p ${HOME} ${PREPARED}`,
    `mount --bind '${place}' ${HOME}`,
    `mount --bind '${prepared}' ${PREPARED}`,
    `cd ${HOME}`,
    `${node} scripts/setup.mjs`,
    // What PHP has compiled is good for the very same PHP alone, which is that of the image. npm is the machine's own.
    `mount -t overlay overlay -o ro,lowerdir='${base}/usr':/usr /usr`,
    `${asUser} ${node} --disable-warning=ExperimentalWarning scripts/prepare-image.ts ${PREPARED}`,
  ];
  run('unshare', ['--mount', 'sh', '-c', steps.join(' && ')]);
  for (const folder of [upper, work, base]) rmSync(folder, { recursive: true, force: true });
  pack(stage, target);
}

/** Whoever the pod runs as may read, and nobody may write. */
function pack(stage, target) {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=go+rX,go-w'];
  run('tar', ['-C', stage, ...owner, '-cf', `${target}.part`, '.']);
  renameSync(`${target}.part`, target);
  rmSync(stage, { recursive: true, force: true });
}

async function makePause() {
  const stage = join(cache, 'pause');
  mkdirSync(stage, { recursive: true });
  copyFileSync(join(cache, 'bin/pause'), join(stage, 'pause'));
  run('tar', ['-C', stage, '--owner=0', '--group=0', '-cf', join(cache, 'pause.tar'), 'pause']);
  await writeImage('pause-1.tar', 'localhost/pause:1', [{ file: join(cache, 'pause.tar'), isThere: false }], {
    Entrypoint: ['/pause'],
  });
}

/** An image by the book of the OCI: layers, a configuration, a manifest and an index, each by its hash. */
async function writeImage(file, name, layers, config) {
  const stage = join(cache, 'layout');
  rmSync(stage, { recursive: true, force: true });
  const blobs = join(stage, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const described = [];
  for (const { file: layer, isThere } of layers) {
    const digest = await hashOf(layer);
    if (!isThere) run('ln', [layer, join(blobs, digest)]);
    described.push({
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest: `sha256:${digest}`,
      size: lstatSync(layer).size,
    });
  }
  const put = (mediaType, value) => {
    const text = JSON.stringify(value);
    const digest = createHash('sha256').update(text).digest('hex');
    writeFileSync(join(blobs, digest), text);
    return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
  };
  const configuration = put('application/vnd.oci.image.config.v1+json', {
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: described.map(({ digest }) => digest) },
  });
  const manifest = put('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    config: configuration,
    layers: described,
  });
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  writeFileSync(join(stage, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(
    join(stage, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
  );
  run('tar', ['-C', stage, '-cf', join(images, `${file}.part`), 'oci-layout', 'index.json', 'blobs']);
  renameSync(join(images, `${file}.part`), join(images, file));
  rmSync(stage, { recursive: true, force: true });
  console.log(`${name}: ${join(images, file)}`);
}

async function hashOf(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function run(command, args) {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${error?.message ?? stderr}`);
}

await main(process.argv.slice(2));
