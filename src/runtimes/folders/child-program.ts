import { ArchiveRefused } from '#core/archive/archive-refused.ts';
import { Channel } from '#core/starter/channel.ts';
import { type Peer, startPeer } from '#core/starter/starter.ts';
import { endTree } from '#sandbox/ending.ts';
import { type Entered, inPackages, OWN_FILES, type ProgramRoom } from './program-room.ts';

type ChildReply = { value: unknown } | { error: string; isRefusal?: boolean };

export interface ChildOptions {
  /** In the sandbox, where this machine has one. */
  room?: ProgramRoom | undefined;
  /** The folders that it may write to. */
  folders: readonly string[];
  /** Paths that it is told when it starts. */
  paths?: readonly string[];
  flags?: readonly string[];
  /** What it needs of others' programs beside what all of ours do. */
  packages?: readonly string[];
  complaint: string;
}

/**
 * A program for what sites and strangers wrote: it runs in a process of its own that sees our programs and the folders that it is given,
 * and ends when it takes too long. It answers one message after another.
 */
export class ChildProgram {
  readonly #peer: Promise<Peer>;
  readonly #complaint: string;
  /** What a path is called in there. */
  readonly inside: (path: string) => string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(program: string, { room, folders, paths = [], flags = [], packages = [], complaint }: ChildOptions) {
    this.#complaint = complaint;
    const args = (inside: (path: string) => string) => [
      '--permission',
      ...[...OWN_FILES, ...packages.map(inPackages), ...folders].map((path) => `--allow-fs-read=${inside(path)}`),
      ...folders.map((path) => `--allow-fs-write=${inside(path)}`),
      ...flags,
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      ...[program, ...paths].map(inside),
    ];
    const entered = room?.enter(folders, args) ?? beside(args);
    this.inside = entered.inside;
    const { file, args: all, env } = entered.spawn;
    this.#peer = startPeer(file, all, { cwd: '/', env });
    void this.#peer.then(({ closed }) => closed).then(entered.leave, entered.leave);
  }

  ask(message: object, limitMs: number): Promise<unknown> {
    const answer = this.#last.then(() => this.#askNow(message, limitMs));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** Resolves when it is gone: what it was at work on may be removed. */
  async close(): Promise<void> {
    const peer = await this.#peer.catch(() => undefined);
    if (peer && !peer.isOver) await endTree(peer.pid);
  }

  async #askNow(message: object, limitMs: number): Promise<unknown> {
    const peer = await this.#peer.catch(() => undefined);
    if (!peer?.channel.isOpen) throw new Error(this.#complaint);
    const { channel } = peer;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void this.close().catch(() => {}), limitMs);
      const end = (tell: () => void) => {
        clearTimeout(timer);
        channel.off('message', onReply).off('close', onEnd);
        tell();
      };
      const onReply = (reply: unknown) => {
        const told = reply as ChildReply;
        end(() => ('error' in told ? reject(errorOf(told)) : resolve(told.value)));
      };
      const onEnd = () => end(() => reject(new Error(this.#complaint)));
      channel.on('message', onReply).once('close', onEnd);
      channel.send(message);
    });
  }
}

/** Where this machine has no sandbox: what a process may open is then Node's permission model's alone. */
function beside(args: (inside: (path: string) => string) => string[]): Entered {
  const inside = (path: string) => path;
  return { spawn: { file: process.execPath, args: args(inside), env: {} }, inside, leave: () => {} };
}

const errorOf = ({ error, isRefusal }: Extract<ChildReply, { error: string }>) =>
  isRefusal ? new ArchiveRefused(error) : new Error(error);

/** The other side of it: answers each message with what `perform` makes of it, and ends with its parent. */
export function answerParent<Message>(perform: (message: Message) => Promise<unknown>): void {
  const channel = Channel.ofProgram();
  channel.once('close', () => process.exit(0));
  channel.on('message', async (message) => {
    const reply: ChildReply = await perform(message as Message).then(
      (value) => ({ value }),
      (error: Error) => ({ error: error.message, isRefusal: error instanceof ArchiveRefused }),
    );
    channel.send(reply);
  });
}
