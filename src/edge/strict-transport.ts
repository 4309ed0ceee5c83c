import type { RawHeaders } from './raw-headers.ts';
import type { Visit } from './visit.ts';

const NAME = 'strict-transport-security';

/** Adds what browsers shall remember of TLS, unless the site itself says something of it. Over plain HTTP it must not be said (RFC 6797, 7.2). */
export function withStrictTransport(
  headers: RawHeaders,
  { protocol }: Pick<Visit, 'protocol'>,
  seconds: number,
): RawHeaders {
  if (seconds === 0 || protocol !== 'https') return headers;
  for (let index = 0; index < headers.length; index += 2)
    if ((headers[index] as string).length === NAME.length && (headers[index] as string).toLowerCase() === NAME)
      return headers;
  headers.push('Strict-Transport-Security', `max-age=${seconds}`);
  return headers;
}
