import { appendFileSync } from 'node:fs';
import pg from 'pg';

/** Loaded into the service with `node --import`: writes every statement that it sends to Postgres as a line of a file. */
const file = process.env.QUERY_LOG_FILE as string;
const { query } = pg.Client.prototype;

pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const statement = args[0] as string | { text?: string };
  const text = typeof statement === 'string' ? statement : (statement.text ?? '');
  appendFileSync(file, `${text.replaceAll(/\s+/g, ' ').trim()}\n`);
  return Reflect.apply(query, this, args);
} as typeof query;
