import type { Duplex } from 'node:stream';

export type AnswerOwnCalls = (siteId: string, connection: Duplex) => void;

const NOBODY_ANSWERS = 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** Without anybody to answer, what a site asks of itself is refused. */
export const refuseOwnCalls: AnswerOwnCalls = (_siteId, connection) =>
  void connection.on('error', () => {}).end(NOBODY_ANSWERS);
