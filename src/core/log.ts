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
      serializers: { err: describeError },
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

/** An error's own words and nothing that hangs on it: drivers attach whole connections, and those know passwords. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { name, message, stack, ...(typeof code === 'string' && { code }) };
}
