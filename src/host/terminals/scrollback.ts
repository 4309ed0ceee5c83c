/** What a terminal showed last, by the place of each byte since it was opened: so whoever lost some of it can have it again. */
export class Scrollback {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The place after the newest byte. */
  #end = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get end(): number {
    return this.#end;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#end += chunk.length;
    for (let [first] = this.#chunks; first && this.#bytes - first.length >= this.#limitBytes; [first] = this.#chunks) {
      this.#chunks.shift();
      this.#bytes -= first.length;
    }
  }

  /** Everything from a place on; where that is gone already, what is left from the beginning of a line. */
  since(place: number): { place: number; bytes: Buffer } {
    const all = Buffer.concat(this.#chunks);
    const start = this.#end - this.#bytes;
    if (place >= start && place <= this.#end) return { place, bytes: all.subarray(place - start) };
    const line = start === 0 ? 0 : all.indexOf('\n') + 1;
    return { place: start + line, bytes: all.subarray(line) };
  }
}
