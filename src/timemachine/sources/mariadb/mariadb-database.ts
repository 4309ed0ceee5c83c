import { createHash } from 'node:crypto';
import { quoteName } from '#runtimes/mariadb/server-access.ts';
import type { MariadbDescription } from '#runtimes/mariadb/site-databases.ts';
import type { TableTarget } from '../../tables/table-target.ts';
import type { Database, TargetOptions } from '../database.ts';
import { openConnection } from './mariadb-connection.ts';
import { withNumbersOf } from './mariadb-schema.ts';
import { shapeOf } from './mariadb-shape.ts';
import { MariadbSource } from './mariadb-source.ts';
import { MariadbTarget } from './mariadb-target.ts';

/** A database of a MariaDB server. */
export class MariadbDatabase implements Database {
  readonly kind = 'mariadb';
  readonly shapeOf = shapeOf;
  readonly withNumbersOf = withNumbersOf;
  readonly #description: MariadbDescription;

  constructor(description: MariadbDescription) {
    this.#description = description;
  }

  source(isTracked: (table: string) => boolean, needed: readonly string[] = []): MariadbSource {
    return new MariadbSource(this.#description, { isTracked, needed });
  }

  openTarget(options?: TargetOptions): Promise<MariadbTarget> {
    return MariadbTarget.open(this.#description, options);
  }

  /** That another one has taken its place is in the server's log. */
  async identity(): Promise<string> {
    return this.#description.name;
  }

  /** Tables come in when all of them are whole, and nothing else of it is touched. */
  async makeAnew(fill: (target: TableTarget) => Promise<void>): Promise<void> {
    const target = await this.openTarget();
    try {
      await fill(target);
    } finally {
      await target.close();
    }
  }

  /** No server gives a database as it was. */
  async copyKnown(): Promise<boolean> {
    return false;
  }

  async remove(): Promise<void> {
    const connection = await openConnection(this.#description, true);
    try {
      await connection.query(`DROP DATABASE IF EXISTS ${quoteName(this.#description.name)}`);
    } finally {
      await connection.end();
    }
  }

  /** Beside the database, where its account may make others. */
  scratch(folder: string): MariadbDatabase {
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
    return new MariadbDatabase({ ...this.#description, name: `${this.#description.name}_${name}` });
  }
}
