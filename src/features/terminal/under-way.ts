/** What was sent and not drawn yet, in order: each piece is told when all of it was. */
export class UnderWay {
  readonly #pieces: { end: number; drawn: () => void }[] = [];
  #sent = 0;
  #drawn = 0;

  get bytes(): number {
    return this.#sent - this.#drawn;
  }

  add(bytes: number): Promise<void> {
    this.#sent += bytes;
    return new Promise((drawn) => this.#pieces.push({ end: this.#sent, drawn }));
  }

  /** More than was sent counts as all of it. */
  acknowledge(bytes: number): void {
    this.#drawn = Math.min(this.#sent, this.#drawn + bytes);
    for (let [first] = this.#pieces; first && first.end <= this.#drawn; [first] = this.#pieces) {
      this.#pieces.shift();
      first.drawn();
    }
  }
}
