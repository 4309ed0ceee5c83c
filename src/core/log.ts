import { type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * Logs go to stderr, one JSON object a line, so that stdout keeps the few lines meant for people. Requests are logged
 * by operation and path without query or body; what could still carry a secret is cut here.
 */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          'password',
          'token',
          'authorization',
          'cookie',
          '*.password',
          '*.token',
          '*.authorization',
          '*.cookie',
          'headers',
        ],
        censor: '[cut]',
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
