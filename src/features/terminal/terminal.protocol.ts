/**
 * What is spoken over the socket of a terminal. What is to be shown comes as binary frames; all else is text, JSON with its kind in
 * `t`. The page says how much it has drawn (`ack`), and is told no more than 256 KB ahead of that.
 */
export type FromPage = { t: 'in'; d: string } | { t: 'size'; columns: number; rows: number } | { t: 'ack'; n: number };

export type ToPage =
  /** The first message: the place of the byte that comes next. Where it is not where the page is, the page begins anew. */
  | { t: 'open'; session: string; place: number; is_new: boolean }
  /** For a page that can not ask for the next ticket. */
  | { t: 'ticket'; ticket: string }
  | { t: 'exit'; code: number };

/** Why the socket was closed, besides what every socket can be closed for. */
export const CLOSED = {
  taken: 4001,
  idle: 4002,
  ended: 4003,
  stopped: 4004,
  missing: 4005,
  full: 4006,
  unavailable: 4007,
  rights: 4008,
} as const;

export const MAX_COLUMNS = 500;
export const MAX_ROWS = 300;
export const MAX_MESSAGE_BYTES = 64 * 1024;

export function readMessage(text: string): FromPage | undefined {
  let message: Partial<Record<'t' | 'd' | 'n' | 'columns' | 'rows', unknown>> | null;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { t, d, n, columns, rows } = message ?? {};
  if (t === 'in' && typeof d === 'string') return { t, d };
  if (t === 'ack' && isWithin(n, MAX_MESSAGE_BYTES ** 2)) return { t, n };
  if (t === 'size' && isWithin(columns, MAX_COLUMNS) && isWithin(rows, MAX_ROWS)) return { t, columns, rows };
  return undefined;
}

function isWithin(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= most;
}
