import type { Connection } from 'mariadb';
import { connect } from '#runtimes/mariadb/server-access.ts';
import type { MariadbDescription } from '#runtimes/mariadb/site-databases.ts';
import { TimeMachineFailure } from '../../failure.ts';

const UNKNOWN_DATABASE = 1049;
const LOCKED = 1205;
const DEADLOCK = 1213;
const REMADE = 1412;
const TOO_MANY = new Set([1040, 1203, 1226]);

/** Values are what was stored, whatever the server is set to; nobody is waited for long. */
const SESSION = [
  "sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
  "time_zone = '+00:00'",
  'sql_quote_show_create = 1',
  'lock_wait_timeout = 5',
  'innodb_lock_wait_timeout = 5',
  'max_statement_time = 0',
  'foreign_key_checks = 0',
  'check_constraint_checks = 0',
].join(', ');

export async function openConnection(description: MariadbDescription, isMade = false): Promise<Connection> {
  const { server, account, name } = description;
  try {
    const connection = await connect({ address: server, account }, isMade ? undefined : name);
    // What fails is told by the question that was asked.
    connection.on('error', () => {});
    await connection.query(`SET ${SESSION}`);
    return connection;
  } catch (error) {
    throw translation(error);
  }
}

export function unreadableDatabase(reason: string, options?: ErrorOptions): TimeMachineFailure {
  return new TimeMachineFailure('unreadable_database', `The database can not be read: ${reason}`, options);
}

export function codeOf(error: unknown): number | undefined {
  return (error as { errno?: number }).errno;
}

export function translation(error: unknown): unknown {
  return codeOf(error) === UNKNOWN_DATABASE ? unreadableDatabase('it is missing', { cause: error }) : error;
}

export function isBusy(error: unknown): boolean {
  const code = codeOf(error) ?? 0;
  return code === LOCKED || code === DEADLOCK || code === REMADE || TOO_MANY.has(code);
}
