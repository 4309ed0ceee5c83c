import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';

const MAX_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 4096;
const CHECK_MS = 30_000;

/**
 * Postgres writes to the file itself, not through a pipe of ours: what it says after our process was killed is what
 * one wants to read. The file is opened for appending, so it can be copied aside and cut while Postgres goes on writing.
 */
export class ServerLog {
  readonly path: string;
  readonly fd: number;
  readonly #timer: NodeJS.Timeout;
  #mark = 0;

  constructor(path: string) {
    this.path = path;
    this.fd = openSync(path, 'a+', 0o600);
    this.#keepBounded();
    this.#timer = setInterval(() => this.#keepBounded(), CHECK_MS).unref();
  }

  /** What tail() returns begins here. */
  mark(): void {
    this.#mark = fstatSync(this.fd).size;
  }

  tail(): string {
    const { size } = fstatSync(this.fd);
    const from = Math.max(this.#mark, size - TAIL_BYTES);
    const buffer = Buffer.alloc(Math.max(0, size - from));
    return buffer.toString('utf8', 0, readSync(this.fd, buffer, 0, buffer.length, from)).trim();
  }

  close(): void {
    clearInterval(this.#timer);
    closeSync(this.fd);
  }

  #keepBounded(): void {
    if (fstatSync(this.fd).size < MAX_BYTES) return;
    copyFileSync(this.path, `${this.path}.1`);
    ftruncateSync(this.fd, 0);
    this.#mark = 0;
  }
}
