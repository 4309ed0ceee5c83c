import type { Server } from 'node:net';
import type { Metrics } from '#core/http/metrics.ts';
import type { Log } from '#core/log.ts';
import type { Stop } from '#core/part.ts';
import type { Config } from '../../config.ts';
import type { News, PortName } from './messages.ts';

/**
 * The processes that answer on the same ports, as one of them sees them. The first one is the service with all that it does; it opens the
 * ports and hands their sockets to the further ones, which have the roles alone that answer visitors and the API (EDGE_PROCESSES).
 * All wait at one socket, so whoever is free takes the next connection, and what waits there outlives each of them.
 */
export interface PortGroup {
  /** Visitors have the same numbers in all of them. */
  readonly visitorSeed: number;
  /** Whoever comes back may meet another one, and goes on with the TLS session of before. */
  readonly ticketKeys: Buffer;
  /** How many of the other processes were restarted after an unexpected exit. */
  readonly replaced: number;
  /** Says to the others what counts for all. */
  tell(news: News): void;
  hear(listener: (news: News) => void): void;
  /** The socket of a port that another process has opened; undefined: it is for this one to open, and to share. */
  portOf(name: PortName): Promise<Server | undefined>;
  share(name: PortName, server: Server): void;
  /** The figures of all of them as one page. */
  pageOf(metrics: Pick<Metrics, 'render' | 'read'>): Promise<string>;
  /** How the others learn the figures of this one. */
  answerFigures(metrics: Pick<Metrics, 'render' | 'read'>): void;
  /** Starts what else belongs to it, once this process serves. */
  start(config: Config, database: { url: string }, log: Log): Promise<Stop>;
}
