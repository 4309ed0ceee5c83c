import type { Duplex } from 'node:stream';
import pg from 'pg';

/** How we have pg read values, and what we mend in its client. */

// Counters are far below 2^53, and a number is what the contract calls an integer.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

// A page of rows holds hundreds of moments, so the usual form, '2026-11-15 01:34:00.123+00', goes the engine's fast way.
const parseAnyMoment = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => {
  const moment = text.endsWith('+00') ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : undefined;
  return moment && !Number.isNaN(moment.getTime()) ? moment : parseAnyMoment(text);
});

export interface ClientOptions {
  isSilent?: () => boolean;
  /** Holds it from the first step of its connecting to its end. */
  alive?: Set<Client>;
}

/**
 * The promise that pg makes of a query leaves its rows to the full garbage collection: under load the heap grew to
 * 240 MB where it stays below 60 MB with a promise of our own. And what pg says of a connection that is gone has no code
 * to know it by; here it gets the one that the socket would have given.
 */
export class Client extends pg.Client {
  isGone = false;

  constructor(config?: pg.ClientConfig & ClientOptions) {
    super(config);
    const note = () => {
      this.isGone = true;
    };
    this.once('error', note).once('end', note);
    // Nobody waits for a database that is known not to answer.
    const { connect } = this as unknown as { connect(done?: (error: Error) => void): Promise<void> };
    const connectOrRefuse = (done?: (error: Error) => void) => {
      if (!config?.isSilent?.()) {
        config?.alive?.add(this);
        this.once('end', () => config?.alive?.delete(this));
        return connect.call(this, done);
      }
      const refusal = Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' });
      if (!done) return Promise.reject(refusal);
      process.nextTick(done, refusal);
      return undefined;
    };
    this.connect = connectOrRefuse as typeof this.connect;
  }

  /** Ends it without a farewell, which a database that does not answer would not take. */
  cut(): void {
    (this as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  }
}
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
Client.prototype.query = function (this: Client, ...args: unknown[]) {
  if (typeof args[0] !== 'string' || !Array.isArray(args[1]) || args.length > 2) return query.apply(this, args);
  return new Promise((resolve, reject) => {
    query.call(this, args[0], args[1], (error: (Error & { code?: string }) | null, result: unknown) => {
      if (error && this.isGone) error.code ??= 'ECONNRESET';
      if (error) reject(error);
      else resolve(result);
    });
  });
} as typeof pg.Client.prototype.query;
