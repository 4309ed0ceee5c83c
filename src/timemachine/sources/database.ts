import type { ShapeOf, WithNumbersOf } from '../tables/table-shape.ts';
import type { TableSource } from '../tables/table-source.ts';
import type { TableTarget } from '../tables/table-target.ts';

export type DatabaseKind = 'sqlite' | 'mariadb';

export interface TargetOptions {
  /** Rows come from the other kind of database: one that does not fit is refused, and never cut. */
  isForeign?: boolean;
}

/** A site's database, whatever kind it is: all that differs between the kinds is behind this. */
export interface Database {
  readonly kind: DatabaseKind;
  /** For reading it while it is in use. Nothing is opened until it is asked. Without the needed tables it can not be read. */
  source(isTracked: (table: string) => boolean, needed?: readonly string[]): TableSource;
  /** For writing to it; it is made where there is none. */
  openTarget(options?: TargetOptions): Promise<TableTarget>;
  /** Another text when another database has taken this one's place. */
  identity(): Promise<string | undefined>;
  /** Puts a new database in this one's place, with what `fill` writes to it. What was there is kept beside it. */
  makeAnew(fill: (target: TableTarget) => Promise<void>): Promise<void>;
  /** Makes a copy of it as it was when that was known of it; false, and no copy, where it can not be had. */
  copyKnown(knowledge: unknown, into: Database): Promise<boolean>;
  /** Removes it, be it there or not. */
  remove(): Promise<void>;
  /** What tables of this kind of database ask of their rows. */
  readonly shapeOf: ShapeOf;
  readonly withNumbersOf: WithNumbersOf;
  /** A new database of the same kind, for work that is thrown away with the folder. */
  scratch(folder: string): Database;
}
