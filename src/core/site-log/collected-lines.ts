import { noteLine } from './entries.ts';

/** Lines that wait to be written, of all sites and one kind. What does not fit is counted, and one line tells of it. */
export interface CollectedLimits {
  /** Of one site. */
  siteBytes: number;
  /** What a site gets however much others have collected. */
  ownBytes: number;
  /** Of all sites together, beyond what each gets for itself. */
  allBytes: number;
  /** For the line that tells of what was left out: `visits`, `errors`. */
  noun: string;
}

interface Collected {
  lines: string[];
  bytes: number;
  left: number;
}

export class CollectedLines {
  readonly #limits: CollectedLimits;
  #sites = new Map<string, Collected>();
  #bytes = 0;

  constructor(limits: CollectedLimits) {
    this.#limits = limits;
  }

  /** The line is made only where there is room for it: whoever floods a site pays for a look and nothing else. */
  add(siteId: string, makeLine: () => string): void {
    let site = this.#sites.get(siteId);
    if (!site) {
      site = { lines: [], bytes: 0, left: 0 };
      this.#sites.set(siteId, site);
    }
    const { siteBytes, ownBytes, allBytes } = this.#limits;
    const isFull = site.bytes >= siteBytes || (site.bytes >= ownBytes && this.#bytes >= allBytes);
    if (isFull) {
      site.left++;
      return;
    }
    const line = makeLine();
    site.lines.push(line);
    site.bytes += line.length;
    this.#bytes += line.length;
  }

  /** Hands over all that was collected, by site. */
  take(): Map<string, string> {
    const taken = new Map<string, string>();
    for (const [siteId, { lines, left }] of this.#sites) {
      if (left > 0) lines.push(noteLine(`${left} ${this.#limits.noun} were left out here: too many at once.`));
      taken.set(siteId, lines.join(''));
    }
    this.#sites = new Map();
    this.#bytes = 0;
    return taken;
  }

  /** What is written no more goes with it. */
  forget(siteId: string): void {
    this.#sites.delete(siteId);
  }
}
