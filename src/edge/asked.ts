import type { IncomingHttpHeaders } from 'node:http';
import type { Gate } from './gate.ts';

/** What a visitor asks of a site, as far as an answer from memory depends on it and is counted by it. */
export interface Asked {
  readonly gate: Gate;
  readonly method: string | undefined;
  /** As sent, not decoded. */
  readonly path: string;
  /** With the question mark, or empty. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly clientAddress: string;
  /** `http` or `https`, as the visitor came. */
  readonly protocol: string;
  /** The edge itself used the Authorization header, so that it is none of the site's business. */
  readonly isSignedInAtEdge: boolean;
  readonly startedAtMs: number;
  /** How the page cache came in, if it did. */
  cacheState: string | null;
}
