import { bodyFault, type Fault, invalid } from '#core/errors.ts';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';
import type { NewExternalPath } from './external-path.schema.ts';

const SEGMENTS = /^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)+$/;
/** Without these nobody could sign in to the site or use its editor. */
const WORDPRESS = ['/wp-admin', '/wp-login.php', '/wp-json', '/wp-includes'];

/** Reads a path and its target into one spelling, or names what is wrong with them. */
export function readExternalPath(input: NewExternalPath, fqdn: string, outbound: Outbound): NewExternalPath {
  const faults: Fault[] = [];
  const path = readPath(input.path, faults);
  const external_name = readTarget(input.external_name, fqdn, outbound, faults);
  if (faults.length > 0) throw invalid(...faults);
  return { path, external_name };
}

function readPath(text: string, faults: Fault[]): string {
  const fault = (msg: string) => faults.push(bodyFault('path', `Value error, ${msg}`));
  const path = text
    .trim()
    .replace(/^(?!\/)/, '/')
    .replace(/\/+$/, '');
  const lower = path.toLowerCase();
  if (path === '') fault('the whole site can not be sent elsewhere; name a path below it');
  else if (!SEGMENTS.test(path)) fault('must be a path such as /shop, of plain letters, digits and punctuation');
  else if (path.split('/').some((segment) => segment === '.' || segment === '..'))
    fault('must not contain the segments . and ..');
  else if (WORDPRESS.some((own) => lower === own || lower.startsWith(`${own}/`)))
    fault(`${WORDPRESS.join(', ')} and what is below them belong to WordPress`);
  return path;
}

function readTarget(text: string, fqdn: string, outbound: Outbound, faults: Fault[]): string {
  const fault = (msg: string) => faults.push(bodyFault('external_name', `Value error, ${msg}`));
  try {
    const url = outbound.checkUrl(text.trim());
    if (url.search || url.hash) fault('must not contain a query or a fragment');
    if (url.hostname === fqdn) fault('leads back to the site itself; name another host');
    return url.href;
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    fault(error.clause);
    return '';
  }
}
