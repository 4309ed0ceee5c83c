import { createHash, timingSafeEqual } from 'node:crypto';
import { type Caller, hasRoleOnSite, seesSecrets } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import type { EditorRow } from './code-editor.sql.ts';

/**
 * Who has come in. A cookie of the editor's own host says it, signed for that host and site alone: with the credential that its ticket was made with,
 * or with the password as it was then. So both end with what they stand on, and nothing of them is stored.
 */
export interface EditorSession {
  expiresMs: number;
  /** Undefined for whoever knew the password. */
  caller: Caller | undefined;
}

const SESSION_MS = 12 * 3600_000;
const COOKIE = 'siteyard_editor';
const SESSION = /^(\d{13})\.([0-9a-f-]{36}|password)\.([\w-]+)$/;

type Signing = Pick<Services, 'secrets'>;

const purposeOf = ({ id }: EditorRow) => `code editor ${id}`;

function textOf({ secrets }: Signing, editor: EditorRow, who: string, expires: string): string {
  const proof = who === 'password' ? passwordOf({ secrets }, editor) : '';
  return [editor.live_fqdn, who, expires, proof].join(' ');
}

function passwordOf({ secrets }: Signing, { password_sealed }: EditorRow): string {
  return secrets.open(password_sealed).toString();
}

/** Digests have one length, so the time that it takes says nothing of the password. */
export function isPassword(services: Signing, editor: EditorRow, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(passwordOf(services, editor)));
}

/** `who`: the id of a credential, or `password`. */
export function sessionCookie(services: Signing, editor: EditorRow, who: string, isSecure: boolean): string {
  const expires = String(Date.now() + SESSION_MS);
  const signature = services.secrets.sign(purposeOf(editor), textOf(services, editor, who, expires));
  const attributes = ['Path=/', `Max-Age=${SESSION_MS / 1000}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure) attributes.push('Secure');
  return [`${cookieName(isSecure)}=${expires}.${who}.${signature}`, ...attributes].join('; ');
}

export async function readSession(
  services: Pick<Services, 'secrets' | 'credentials'>,
  editor: EditorRow,
  cookies: string | undefined,
  isSecure: boolean,
): Promise<EditorSession | undefined> {
  const start = `${cookieName(isSecure)}=`;
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim());
  // On plain http another site of the same domain can add a cookie of this name, so any good one counts.
  for (const pair of pairs.filter((each) => each.startsWith(start)).slice(0, 5)) {
    const [, expires = '', who = '', signature = ''] = SESSION.exec(pair.slice(start.length)) ?? [];
    const expiresMs = Number(expires);
    if (who === '' || expiresMs <= Date.now()) continue;
    if (!services.secrets.isSigned(purposeOf(editor), textOf(services, editor, who, expires), signature)) continue;
    if (who === 'password') return { expiresMs, caller: undefined };
    const caller = await services.credentials.renew({ credential: { id: who } });
    if (caller && mayEdit(caller, editor)) return { expiresMs, caller };
  }
  return undefined;
}

function mayEdit(caller: Caller, editor: EditorRow): boolean {
  return seesSecrets(caller) && hasRoleOnSite(caller, editor, 'member');
}

/** Browsers take a cookie of such a name from nobody but the host itself, over https alone. */
function cookieName(isSecure: boolean): string {
  return isSecure ? `__Host-${COOKIE}` : COOKIE;
}
