import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { compare } from 'bcryptjs';
import { asWordPressReadsIt, MAX_PASSWORD_BYTES } from '#runtimes/wordpress/password.ts';
import type { SiteRequest } from './answer.ts';
import type { Turn } from './turn.ts';

/** Who asks: the platform by its signature, or somebody with a cookie or an application password (plugin/access.php). */
export interface User {
  id: number;
  login: string;
}

const CLOCK_SECONDS = 60;
const SESSION_SECONDS = 2 * 24 * 3600;
const PASSWORDS_KEY = 'memory_application_passwords';

/** True when this request was signed by the platform within the last minute. */
export function isPlatform({ site }: Turn, { method, url, headers, body }: SiteRequest): boolean {
  const time = String(headers['x-siteyard-time'] ?? '');
  if (!isNow(time)) return false;
  const text = [method, url, createHash('sha256').update(body).digest('hex'), time].join('\n');
  return isEqual(sign(site.accessKey, 'request', text), String(headers['x-siteyard-signature'] ?? ''));
}

/** The site's first administrator. */
async function firstAdministrator(turn: Turn): Promise<User | undefined> {
  const [row] = await turn.query(
    `select u.ID as id, u.user_login as login from wp_users u join wp_usermeta m on m.user_id = u.ID
     where m.meta_key = 'wp_capabilities' and m.meta_value like '%administrator%' order by u.ID limit 1`,
  );
  return row && { id: Number(row.id), login: String(row.login) };
}

async function findUser(turn: Turn, login: string): Promise<(User & { hash: string }) | undefined> {
  const [row] = await turn.query(
    'select ID as id, user_login as login, user_pass as hash from wp_users where user_login = ?1 or user_email = ?1',
    login,
  );
  return row && { id: Number(row.id), login: String(row.login), hash: String(row.hash) };
}

/** Whoever asks for a page. */
export async function visitorOf(turn: Turn, { headers }: SiteRequest): Promise<User | undefined> {
  const value = new RegExp(`(?:^|; *)${cookieName(turn)}=([^;]*)`).exec(headers.cookie ?? '')?.[1];
  const [login = '', expires = '', signature = ''] = decodeURIComponent(value ?? '').split('|');
  if (!(Number(expires) * 1000 > Date.now())) return undefined;
  const user = await findUser(turn, login);
  return user && isEqual(sessionMark(turn, user, expires), signature) ? user : undefined;
}

/** Whoever asks in the REST interface: a cookie counts there with a nonce alone. */
export async function callerOf(turn: Turn, request: SiteRequest): Promise<User | undefined> {
  const { headers } = request;
  if (headers['x-siteyard-as-administrator'] && isPlatform(turn, request)) return firstAdministrator(turn);
  const basic = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (basic) return byApplicationPassword(turn, Buffer.from(basic, 'base64').toString());
  const user = await visitorOf(turn, request);
  return user && isEqual(nonceOf(turn, user), String(headers['x-wp-nonce'] ?? '')) ? user : undefined;
}

/** What a form sent; undefined where it is nobody's name and password. */
export async function signIn(turn: Turn, login: string, password: string): Promise<User | undefined> {
  const user = await findUser(turn, login);
  if (!user?.hash.startsWith('$wp') || Buffer.byteLength(asWordPressReadsIt(password)) > MAX_PASSWORD_BYTES) return;
  const digest = createHmac('sha384', 'wp-sha384').update(asWordPressReadsIt(password)).digest('base64');
  return (await compare(digest, user.hash.slice(3))) ? user : undefined;
}

/** A link from the dashboard: `time.nonce.signature`, good for a minute and for one use. */
export async function takeLoginLink(turn: Turn, link: string): Promise<User | undefined> {
  const [time = '', nonce = '', signature = ''] = link.split('.');
  if (!isNow(time) || !isEqual(sign(turn.site.accessKey, 'login', `${time}.${nonce}`), signature)) return undefined;
  const used = `_transient_siteyard_login_${createHash('md5').update(nonce).digest('hex')}`;
  const taken = await turn.query(
    "insert into wp_options (option_name, option_value) values (?, '1') on conflict do nothing returning option_id",
    used,
  );
  return taken.length === 1 ? firstAdministrator(turn) : undefined;
}

/** The cookie that keeps somebody signed in. */
export async function sessionCookie(turn: Turn, { login }: User): Promise<string> {
  const expires = String(Math.floor(Date.now() / 1000) + SESSION_SECONDS);
  const user = await findUser(turn, login);
  const value = [login, expires, user ? sessionMark(turn, user, expires) : ''].join('|');
  return `${cookieName(turn)}=${encodeURIComponent(value)}; Path=/; HttpOnly`;
}

export function nonceOf({ site }: Turn, { id }: User): string {
  return sign(site.saltKey, 'nonce', String(id)).slice(0, 10);
}

/** Makes a password for programs; only its hash is kept. */
export async function addApplicationPassword(turn: Turn, user: User): Promise<string> {
  const password = randomBytes(18).toString('base64url').replaceAll(/[-_]/g, 'x');
  await turn.query(
    'insert into wp_usermeta (user_id, meta_key, meta_value) values (?, ?, ?)',
    user.id,
    PASSWORDS_KEY,
    hashOf(password),
  );
  return password;
}

async function byApplicationPassword(turn: Turn, text: string): Promise<User | undefined> {
  const at = text.indexOf(':');
  const user = at < 0 ? undefined : await findUser(turn, text.slice(0, at));
  if (!user) return undefined;
  const hash = hashOf(text.slice(at + 1).replaceAll(' ', ''));
  const found = await turn.query(
    'select 1 from wp_usermeta where user_id = ? and meta_key = ? and meta_value = ?',
    user.id,
    PASSWORDS_KEY,
    hash,
  );
  return found.length > 0 ? user : undefined;
}

/** Made with the site's own salt, so that a session of one site is none of its copy. */
function sessionMark({ site }: Turn, { login, hash }: User & { hash: string }, expires: string): string {
  return sign(site.saltKey, 'session', [login, expires, hash].join('\n'));
}

const cookieName = ({ site }: Turn) => `wordpress_logged_in_${createHash('md5').update(site.url).digest('hex')}`;

const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');

function sign(key: string, purpose: string, text: string): string {
  return createHmac('sha256', key).update(`${purpose}\n${text}`).digest('hex');
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isNow(seconds: string): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(Date.now() / 1000 - Number(seconds)) <= CLOCK_SECONDS + 1;
}
