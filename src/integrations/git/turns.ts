import { GitFailed } from '#core/git.ts';

interface Waiting {
  who: string;
  go: () => void;
}

/** Lets a few at a time do something, and each person fewer than that, so that nobody keeps out everybody else. */
export class Turns {
  readonly #limits: { atOnce: number; each: number };
  readonly #running: string[] = [];
  readonly #waiting: Waiting[] = [];

  constructor(limits: { atOnce: number; each: number }) {
    this.#limits = limits;
  }

  /** Resolves when it is one's turn, with what ends it; whoever waits for too long is told so. */
  async take(who: string, deadline: number): Promise<() => void> {
    if (this.#mayRun(who)) this.#running.push(who);
    else await this.#wait(who, deadline);
    return () => {
      this.#running.splice(this.#running.indexOf(who), 1);
      const at = this.#waiting.findIndex((waiting) => this.#mayRun(waiting.who));
      this.#waiting.splice(at, at < 0 ? 0 : 1)[0]?.go();
    };
  }

  #mayRun(who: string): boolean {
    const own = this.#running.filter((each) => each === who).length;
    return this.#running.length < this.#limits.atOnce && own < this.#limits.each;
  }

  #wait(who: string, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new GitFailed('timeout', 'Other repositories are being looked at.'));
      }, deadline - performance.now());
      const go = () => {
        clearTimeout(timer);
        this.#running.push(who);
        resolve();
      };
      const waiting = { who, go };
      this.#waiting.push(waiting);
    });
  }
}
