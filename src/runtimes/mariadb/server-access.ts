import { type Connection, type ConnectionConfig, createConnection } from 'mariadb';
import type { Account, ServerAddress } from './site-databases.ts';

/** A server, and the account by which we manage it. */
export interface ServerAccess {
  address: ServerAddress;
  account: Account;
}

const CONNECT_MS = 10_000;

/** Integers come as bigint, decimals, dates and everything else as the text that they are, so nothing is rounded. */
export function connect(access: ServerAccess, database?: string): Promise<Connection> {
  return createConnection({ ...connectionOptions(access), ...(database !== undefined && { database }) });
}

export function connectionOptions({ address, account }: ServerAccess): ConnectionConfig {
  const { socket, host = 'localhost', port = 3306, tls } = address;
  return {
    ...(socket === undefined ? { host, port } : { socketPath: socket }),
    ...(tls && { ssl: { rejectUnauthorized: tls === 'verified' } }),
    ...account,
    connectTimeout: CONNECT_MS,
    charset: 'utf8mb4',
    timezone: 'Z',
    dateStrings: true,
    bigIntAsNumber: false,
    decimalAsNumber: false,
    insertIdAsNumber: false,
    checkNumberRange: false,
    permitLocalInfile: false,
    permitSetMultiParamEntries: false,
    multipleStatements: false,
    logParam: false,
  };
}

/**
 * `mariadb://user:password@host:3306`, or `mariadb://user:password@localhost?socket=/path`. By the network it is spoken to by
 * TLS alone: `tls=unverified` takes any certificate, `tls=off` goes without.
 */
export function serverAccessOf(text: string): ServerAccess {
  const url = URL.parse(text);
  if (!url || !['mariadb:', 'mysql:'].includes(url.protocol))
    throw new Error('MARIADB_URL is no address such as mariadb://user:password@host:3306');
  const account = { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  const socket = url.searchParams.get('socket');
  if (socket) return { address: { socket }, account };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || 3306);
  const tls = url.searchParams.get('tls') ?? 'verified';
  if (tls !== 'verified' && tls !== 'unverified' && tls !== 'off')
    throw new Error('tls of MARIADB_URL is verified, unverified or off');
  return { address: { host, port, ...(tls !== 'off' && { tls }) }, account };
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
