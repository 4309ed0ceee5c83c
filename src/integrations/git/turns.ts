import { GitFailed } from '#core/git.ts';

/** Lets a few at a time do something; whoever waits too long for their turn is told so. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves when it is one's turn, with what ends it. */
  async take(deadline: number): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(deadline);
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #wait(deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(new GitFailed('timeout', 'Many repositories are being looked at.'));
      }, deadline - Date.now());
      this.#waiting.push(go);
    });
  }
}
