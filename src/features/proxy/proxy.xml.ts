import type { Incoming } from './proxy.call.ts';
import { proxyNoXml } from './proxy.schema.ts';
import { cut } from './proxy.text.ts';

export interface Credentials {
  username: string;
  password: string;
  /** As the header of basic authentication has them. */
  basic: string;
}

/** WordPress reads the credentials from the call itself, so the caller leaves placeholders for what the caller does not know. */
export function fillCredentials(xml: string, credentials: Pick<Credentials, 'username' | 'password'>): string {
  return xml.replaceAll(/\{\{(username|password)\}\}/g, (_, name: 'username' | 'password') =>
    escapeXml(credentials[name]),
  );
}

/** The response as text, which is refused unless it is XML of a call that succeeded. */
export function requireXml({ status, headers, body }: Incoming): string {
  const isXml = /^(?:text|application)\/xml\b/i.test(String(headers['content-type'] ?? ''));
  if (status === 200 && isXml) return body.toString();
  throw proxyNoXml({ message: `The other side answered with status ${status}${isXml ? '' : ' and no XML'}.` });
}

/** Removes the credentials from XML, in each spelling that WordPress gives them. */
export function cutCredentials(xml: string, { basic, password }: Credentials): string {
  return cut(xml, [basic, password, escapeXml(password), escapeXml(password, true)]);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' };

/** WordPress escapes quotation marks too, which a text between tags does not require. */
function escapeXml(text: string, withQuotes = false): string {
  return text.replaceAll(withQuotes ? /[&<>"']/g : /[&<>]/g, (sign) => ENTITIES[sign] as string);
}
