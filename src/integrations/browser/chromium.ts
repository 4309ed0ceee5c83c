import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Browser, PictureWish } from '#core/browser.ts';
import { removeFolder } from '#core/remove-folder.ts';
import { type StartedProgram, startProgram } from '#core/starter/starter.ts';
import { endTree } from '#sandbox/ending.ts';
import { memoryBytesOfAll, processesOf } from '#sandbox/processes.ts';
import type { Room } from '#sandbox/room.ts';
import { Sandbox, type SandboxWish } from '#sandbox/sandbox.ts';
import { Devtools } from './devtools.ts';
import { pictureOfPage } from './page-picture.ts';

/**
 * Pictures of pages by the machine's own Chromium. Pages are strangers' work, so each picture has a browser of its own, in a sandbox without any network, without
 * cookies and without scripts: what the page asks for is answered by us, over the pipe (page-picture.ts). It is killed after some seconds or hundreds of
 * megabytes, and takes what the machine leaves.
 */
export interface ChromiumOptions {
  /** A folder of our own. */
  folder: string;
  sandbox: SandboxWish;
  /** Whether it takes only what the machine leaves of its processors; it does where nothing is said. */
  isModest?: boolean;
}

/** Debian's own is behind a script that looks at more of the machine than a sandbox shows. */
const PLACES = [
  // The same without what draws windows, of which nobody sees any.
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const PICTURE_MS = 180_000;
/** Of one process. What a busy machine leaves may take long to come by. */
const PROCESSOR_SECONDS = 30;
const MEMORY_BYTES = 900 * 1024 * 1024;
const LOOK_MS = 250;
const TMP_BYTES = 128 * 1024 * 1024;
const LIMITS = { processes: 250, fileBytes: 64 * 1024 * 1024 };
const KEPT_BYTES = 64 * 1024 * 1024;
const FLAGS = [
  '--headless=new',
  // The sandbox around it is ours; one within it would need rights that nobody has in there.
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-breakpad',
  '--no-first-run',
  '--no-default-browser-check',
  '--hide-scrollbars',
  '--mute-audio',
  // There is no network in there; this says so at once instead of after a while.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--user-data-dir=/tmp/profile',
  '--remote-debugging-pipe',
  'about:blank',
];
/** It listens at 3 and speaks at 4. */
const WITH_PIPE = `ulimit -t ${PROCESSOR_SECONDS}; exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>&1`;

export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...PLACES, ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))].find((path) =>
    existsSync(path),
  );
}

interface Ground {
  sandbox: Sandbox;
  room: Room;
}

export class Chromium implements Browser {
  readonly #file: string;
  readonly #options: ChromiumOptions;
  #ground: Promise<Ground> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #running: StartedProgram | undefined;
  #isClosed = false;

  constructor(file: string, options: ChromiumOptions) {
    this.#file = file;
    this.#options = options;
  }

  takePicture(wish: PictureWish): Promise<Buffer> {
    const picture = this.#last.then(() => this.#take(wish));
    this.#last = picture.catch(() => {});
    return picture;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#running && !this.#running.isOver) await endTree(this.#running.pid).catch(() => {});
    await this.#last;
    await removeFolder(this.#options.folder);
  }

  async #take(wish: PictureWish): Promise<Buffer> {
    if (this.#isClosed) throw new Error('no more pictures are taken');
    this.#ground ??= this.#prepare();
    const { sandbox, room } = await this.#ground;
    const list = join(this.#options.folder, `${randomBytes(6).toString('hex')}.mounts`);
    const { file, args, env } = sandbox.enter({
      room,
      list,
      args: ['/bin/sh', '-c', WITH_PIPE, 'sh', this.#file, ...FLAGS],
      cwd: '/tmp',
      uid: sandbox.uidOf('pictures'),
      isModest: this.#options.isModest ?? true,
      ...LIMITS,
    });
    const program = await startProgram(file, args, { cwd: '/', env, hasInput: true, keptBytes: KEPT_BYTES });
    this.#running = program;
    program.stderr.resume();
    const watch = new AbortController();
    try {
      const devtools = new Devtools(program.stdout, program.stdin as NonNullable<typeof program.stdin>);
      return await Promise.race([pictureOfPage(devtools, wish), overrun(program, watch.signal)]);
    } finally {
      watch.abort();
      if (!program.isOver) await endTree(program.pid).catch(() => {});
      await program.closed;
      this.#running = undefined;
      rmSync(list, { force: true });
    }
  }

  async #prepare(): Promise<Ground> {
    const { folder, sandbox: wanted } = this.#options;
    await removeFolder(folder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const sandbox = await Sandbox.find(wanted);
    if ('missing' in sandbox) throw new Error(`no pictures are taken without a sandbox: ${sandbox.missing}`);
    const own = dirname(this.#file);
    const shown = ['/etc/fonts', ...(own.startsWith('/usr/') ? [] : [own])].filter((path) => existsSync(path));
    const room = sandbox.room({
      folder: join(folder, 'room'),
      shown: shown.map((path) => ({ from: path, at: path })),
      tmpBytes: TMP_BYTES,
      hasNetwork: false,
      uid: sandbox.uidOf('pictures'),
    });
    return { sandbox, room };
  }
}

/** Rejects when the browser takes too long or too much. */
function overrun(program: StartedProgram, over: AbortSignal): Promise<never> {
  const begun = performance.now();
  return new Promise((_resolve, reject) => {
    const timer = setInterval(() => {
      if (performance.now() - begun > PICTURE_MS) reject(new Error('the picture takes too long'));
      else if (!program.isOver && memoryBytesOfAll(processesOf(program.pid)) > MEMORY_BYTES)
        reject(new Error('the picture takes too much memory'));
    }, LOOK_MS);
    over.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}
