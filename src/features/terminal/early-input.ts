const MAX_BYTES = 64 * 1024;

/** What is typed before the shell is running. Input beyond 64 kB is dropped. */
export class EarlyInput {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Skips empty input, which a page could otherwise send without end and never reach the limit. */
  add(chunk: Buffer): void {
    if (chunk.length === 0 || this.#bytes + chunk.length > MAX_BYTES) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  take(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    return all;
  }
}
