import type { SiteRef } from '../site-host.ts';
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
  site: SiteRef;
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
  add(site: SiteRef, makeLine: () => string): void {
    let of = this.#sites.get(site.id);
    if (!of) {
      of = { site, lines: [], bytes: 0, left: 0 };
      this.#sites.set(site.id, of);
    }
    const { siteBytes, ownBytes, allBytes } = this.#limits;
    const isFull = of.bytes >= siteBytes || (of.bytes >= ownBytes && this.#bytes >= allBytes);
    if (isFull) {
      of.left++;
      return;
    }
    const line = makeLine();
    of.lines.push(line);
    of.bytes += line.length;
    this.#bytes += line.length;
  }

  /** Hands over all that was collected, by site. */
  take(): { site: SiteRef; lines: string }[] {
    const taken = [...this.#sites.values()].map(({ site, lines, left }) => {
      if (left > 0) lines.push(noteLine(`${left} ${this.#limits.noun} were left out here: too many at once.`));
      return { site, lines: lines.join('') };
    });
    this.#sites = new Map();
    this.#bytes = 0;
    return taken;
  }

  /** What is written no more goes with it. */
  forget(siteId: string): void {
    this.#sites.delete(siteId);
  }
}
