import type { Shares } from '#core/shares.ts';
import type { Program, Runtime, Terminal } from '#runtimes/runtime.ts';
import type { HostedSpec, ProgramEnd, ProgramWish } from '../site-host.ts';

/** So much may be under way to whoever is joined; then the program waits. */
const UNDER_WAY_BYTES = 512 * 1024;
const GO_ON_BYTES = 128 * 1024;
const IDLE_MS = 30 * 60_000;
/** What ends the input of whoever sits at a terminal. */
const CTRL_D = Buffer.from([4]);

type Joined = Program & Pick<Terminal, 'resize'>;
type Driver = Pick<Runtime, 'program' | 'terminal'>;

/** The programs of this host that somebody far away is joined to. Unlike terminals they end with the connection. */
export class Programs {
  readonly #driverOf: (site: HostedSpec) => Driver;
  readonly #seats: Shares;
  readonly #running = new Map<object, { siteId: string; stop(): void }>();

  constructor(driverOf: (site: HostedSpec) => Driver, seats: Shares) {
    this.#driverOf = driverOf;
    this.#seats = seats;
  }

  async run(site: HostedSpec, wish: ProgramWish): Promise<ProgramEnd> {
    const release = this.#seats.take(site.team);
    if (!release) return { why: 'full' };
    try {
      const program = await openProgram(this.#driverOf(site), site, wish);
      return await this.#join(site.id, program, wish);
    } finally {
      release();
    }
  }

  /** Some work wants the site to itself. Whoever suspends it waits for the end. */
  stop(siteId: string): void {
    for (const running of this.#running.values()) if (running.siteId === siteId) running.stop();
  }

  async #join(siteId: string, program: Joined, wish: ProgramWish): Promise<ProgramEnd> {
    let reason: ProgramEnd | undefined;
    const broken = Promise.withResolvers<void>();
    const end = (why: 'left' | 'idle' | 'stopped') => {
      reason ??= { why };
      broken.resolve();
      program.end();
    };
    const idle = setTimeout(() => end('idle'), IDLE_MS).unref();
    const leave = () => end('left');
    this.#running.set(program, { siteId, stop: () => end('stopped') });
    wish.signal.addEventListener('abort', leave, { once: true });
    if (wish.signal.aborted) leave();
    try {
      const allSent = passOutput(program, wish, idle, leave);
      void wish.onStart(
        (bytes) => {
          idle.refresh();
          return program.write(bytes);
        },
        () => program.endInput(),
        (size) => program.resize(size),
        (name) => program.signal(name),
      );
      const exitCode = await program.ended;
      // Whoever left, or reads no more, is not waited for.
      await Promise.race([allSent(), broken.promise]);
      return reason ?? { why: 'exit', exitCode };
    } finally {
      clearTimeout(idle);
      this.#running.delete(program);
      wish.signal.removeEventListener('abort', leave);
    }
  }
}

/** Hands over what it writes, only so far ahead of what was sent. Returns how to wait until all was. */
function passOutput(
  program: Program,
  { onOutput }: ProgramWish,
  idle: NodeJS.Timeout,
  leave: () => void,
): () => Promise<unknown> {
  let underWay = 0;
  let isPaused = false;
  let last: Promise<unknown> = Promise.resolve();
  program.onOutput((bytes, stream) => {
    idle.refresh();
    underWay += bytes.length;
    if (!isPaused && underWay > UNDER_WAY_BYTES) {
      isPaused = true;
      program.pause();
    }
    const sent = onOutput(bytes, stream).then(() => {
      underWay -= bytes.length;
      if (!isPaused || underWay > GO_ON_BYTES) return;
      isPaused = false;
      program.resume();
    }, leave);
    // In one order, so the last is the last of all.
    last = Promise.all([last, sent]).then(() => {});
  });
  return () => last;
}

async function openProgram(driver: Driver, site: HostedSpec, wish: ProgramWish): Promise<Joined> {
  const { work, terminal: size, env, maxDiskBytes } = wish;
  const options = { ...(env && { env }), ...(maxDiskBytes !== undefined && { maxDiskBytes }) };
  if (!size || work.kind === 'files')
    return { ...(await driver.program(site, { work, ...options })), resize: () => {} };
  const command = work.kind === 'command' ? { command: work.command } : {};
  const terminal = await driver.terminal(site, { ...size, ...command, ...options });
  return {
    onOutput: (take) => terminal.onOutput((bytes) => take(bytes, 'stdout')),
    write: async (bytes) => terminal.write(bytes),
    endInput: () => terminal.write(CTRL_D),
    // A terminal turns keys into signals.
    signal: (name) => {
      if (name === 'SIGINT') terminal.write(Buffer.from([3]));
      else if (name !== 'SIGWINCH') terminal.end();
    },
    resize: (to) => terminal.resize(to),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    end: () => terminal.end(),
    ended: terminal.ended,
  };
}
