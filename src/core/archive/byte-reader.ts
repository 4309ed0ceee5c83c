import { ArchiveRefused } from './archive-refused.ts';

/** Takes as many bytes off a stream as are asked for. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly so many; undefined where the stream has ended before the first of them. */
  async take(length: number): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    let missing = length;
    for await (const chunk of this.#chunks(length)) {
      chunks.push(chunk);
      missing -= chunk.length;
    }
    if (missing === length && length > 0) return undefined;
    if (missing > 0) throw cutOff();
    return Buffer.concat(chunks);
  }

  /** The next so many bytes as they come. */
  async *pieces(length: number): AsyncGenerator<Buffer> {
    let missing = length;
    for await (const chunk of this.#chunks(length)) {
      missing -= chunk.length;
      yield chunk;
    }
    if (missing > 0) throw cutOff();
  }

  async *#chunks(length: number): AsyncGenerator<Buffer> {
    for (let missing = length; missing > 0; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next();
        if (done) return;
        this.#rest = value;
        continue;
      }
      const chunk = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(chunk.length);
      missing -= chunk.length;
      yield chunk;
    }
  }
}

const cutOff = () => new ArchiveRefused('it is cut off');
