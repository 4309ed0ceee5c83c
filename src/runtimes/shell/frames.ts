/** What the tools inside a sandbox and the platform say to each other over a socket: a kind, a length and that many bytes. */
export const FRAME = {
  /** From inside: what is wished as JSON, then what stands on its input, then that there is no more. */
  wish: 0,
  input: 1,
  inputEnd: 2,
  /** To the inside: what was written, the exit code, and that somebody reads the input. */
  stdout: 1,
  stderr: 2,
  exit: 3,
  wantInput: 4,
} as const;

const HEAD_BYTES = 5;
const LONGEST_FRAME = 1024 * 1024;

export function frame(kind: number, bytes: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = kind;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Takes frames out of what comes in pieces. Whoever speaks in there may be anybody, so it fails where a frame is too long. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  *read(piece: Buffer): Generator<{ kind: number; bytes: Buffer }> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      if (this.#rest.length < HEAD_BYTES) return;
      const length = this.#rest.readUInt32BE(1);
      if (length > LONGEST_FRAME) throw new Error('a frame is too long');
      if (this.#rest.length < HEAD_BYTES + length) return;
      const found = { kind: this.#rest[0] ?? 0, bytes: this.#rest.subarray(HEAD_BYTES, HEAD_BYTES + length) };
      this.#rest = this.#rest.subarray(HEAD_BYTES + length);
      yield found;
    }
  }
}
