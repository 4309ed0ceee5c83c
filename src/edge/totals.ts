import { Latency } from './latency.ts';
import type { SiteUsage } from './route.ts';

/** What this edge did since it started, over all sites: what an operator watches, and nothing of any one site. */
export class EdgeTotals {
  visits = 0;
  requests = 0;
  bytes = 0;
  cacheHits = 0;
  cacheMisses = 0;
  /** Answers of sites' own processes by class of status. All classes are there from the start, so that a first error shows as a rise. */
  readonly answers = new Map(['1xx', '2xx', '3xx', '4xx', '5xx'].map((name) => [name, 0]));
  /** Visits that ended with a notice instead of an answer, by its code. */
  readonly failures = new Map<string, number>();
  /** Of all that was answered to the end, whoever answered it. */
  readonly latency = new Latency();

  /** Called for each response that is counted in `latency`. */
  onAnswered: (cacheState: string | null, seconds: number) => void = () => undefined;

  /** Usage counts once it is reported: what could not be is counted with the next report. */
  addUsage(usage: SiteUsage): void {
    this.visits += usage.visits;
    this.requests += usage.requests;
    this.bytes += usage.bytes;
    this.cacheHits += usage.cacheHits;
    this.cacheMisses += usage.cacheMisses;
  }

  countAnswer(status: number): void {
    const name = `${Math.floor(status / 100)}xx`;
    const known = this.answers.get(name);
    // A site may answer any number at all; what is no status gets no label.
    if (known !== undefined) this.answers.set(name, known + 1);
  }

  countFailure(code: string): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
  }
}
