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
const LONGEST_INPUT = 64 * 1024;

export function frame(kind: number, bytes: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = kind;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/**
 * Takes frames out of what comes in pieces. Whoever speaks in there may be anybody, so it fails where a frame is too long, and each byte
 * is copied once to where it belongs, however small the pieces are.
 */
export class FrameReader {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #body: Buffer | undefined;
  #filled = 0;

  *read(piece: Buffer): Generator<{ kind: number; bytes: Buffer }> {
    for (let at = 0; at < piece.length; ) {
      const part = this.#body ?? this.#head;
      const taken = piece.copy(part, this.#filled, at);
      at += taken;
      this.#filled += taken;
      if (this.#filled < part.length) return;
      this.#filled = 0;
      const bytes = this.#body ?? this.#makeBody();
      const isWhole = part === bytes || bytes.length === 0;
      this.#body = isWhole ? undefined : bytes;
      if (isWhole) yield { kind: this.#head[0] ?? 0, bytes };
    }
  }

  #makeBody(): Buffer {
    const length = this.#head.readUInt32BE(1);
    if (length > (this.#head[0] === FRAME.input ? LONGEST_INPUT : LONGEST_FRAME))
      throw new Error('a frame is too long');
    return Buffer.allocUnsafe(length);
  }
}
