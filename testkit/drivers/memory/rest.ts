import { randomUUID } from 'node:crypto';
import type { SqlRow, SqlValue } from '#runtimes/runtime.ts';
import { UPLOADS_REFUSED_HEADER } from '#runtimes/wordpress/access.ts';
import { addApplicationPassword, callerOf, type User } from './access.ts';
import { type Answer, json, NO_CACHE, type SiteRequest } from './answer.ts';
import type { Turn } from './turn.ts';

/** As much of WordPress' REST interface as the platform and its tests ask for. `route` is what follows `/wp-json`. */
export async function restAnswer(turn: Turn, route: string, request: SiteRequest): Promise<Answer> {
  const user = await callerOf(turn, request);
  const [, kind = '', id] = /^\/wp\/v2\/([\w-]+)(?:\/(.+?))?\/?$/.exec(route) ?? [];
  const answer = await answerOf(turn, route, { kind, id }, request, user);
  return user ? { ...answer, headers: { ...answer.headers, ...NO_CACHE } } : answer;
}

async function answerOf(
  turn: Turn,
  route: string,
  { kind, id }: { kind: string; id: string | undefined },
  request: SiteRequest,
  user: User | undefined,
): Promise<Answer> {
  const { method } = request;
  if (route === '' || route === '/') return json(200, await describeSite(turn));
  if (kind === 'posts' || kind === 'pages') {
    const type = kind === 'posts' ? 'post' : 'page';
    if (method === 'GET' || method === 'HEAD') return readPosts(turn, type, id, request, user);
    if (!user) return refused();
    return method === 'DELETE' ? deletePost(turn, Number(id)) : savePost(turn, type, id, request, user);
  }
  if (!user) return kind === '' ? unknownRoute() : refused();
  if (kind === 'media' && method === 'POST') return upload(turn, request, user);
  if (kind === 'settings') return settings(turn, request);
  if (kind === 'users' && id === 'me')
    return json(200, { id: user.id, username: user.login, roles: ['administrator'] });
  if (kind === 'users' && id === 'me/application-passwords' && method === 'POST')
    return json(201, { uuid: randomUUID(), name: 'made', password: await addApplicationPassword(turn, user) });
  return unknownRoute();
}

async function describeSite(turn: Turn) {
  const [name, description] = [await turn.option('blogname'), await turn.option('blogdescription')];
  const { url } = turn.site;
  return { name, description, url, home: url, namespaces: ['wp/v2'], routes: {} };
}

const refusal = (status: number, code: string, message: string) => json(status, { code, message, data: { status } });
const refused = () => refusal(401, 'rest_cannot_create', 'Sorry, you are not allowed to do that.');
const unknownRoute = () => refusal(404, 'rest_no_route', 'No route was found matching the URL and request method.');
const unknownPost = () => refusal(404, 'rest_post_invalid_id', 'Invalid post ID.');

async function readPosts(
  turn: Turn,
  type: string,
  id: string | undefined,
  { query }: SiteRequest,
  user: User | undefined,
): Promise<Answer> {
  if (query.get('context') === 'edit' && !user) return refused();
  const shown = "post_type = ? and (post_status = 'publish' or ?)";
  const values = [type, user && id !== undefined ? 1 : 0];
  if (id !== undefined) {
    const [post] = await turn.query(`select * from wp_posts where ${shown} and ID = ?`, ...values, Number(id) || 0);
    return post ? json(200, describePost(turn, post)) : unknownPost();
  }
  const order = 'order by post_date desc, ID desc limit ?';
  const limit = Math.min(Number(query.get('per_page')) || 10, 100);
  const posts = await turn.query(`select * from wp_posts where ${shown} ${order}`, ...values, limit);
  const [all] = await turn.query(`select count(*) as n from wp_posts where ${shown}`, ...values);
  const list = posts.map((post) => describePost(turn, post));
  return json(200, list, { 'x-wp-total': String(all?.n ?? 0) });
}

async function savePost(
  turn: Turn,
  type: string,
  id: string | undefined,
  request: SiteRequest,
  user: User,
): Promise<Answer> {
  const fields = fieldsOf(request);
  if (!fields) return refusal(400, 'rest_invalid_json', 'Invalid JSON body passed.');
  const text = (name: string) => (typeof fields[name] === 'string' ? (fields[name] as string) : undefined);
  const now = sqlDate(new Date());
  if (id === undefined) {
    const title = text('title') ?? '';
    const post = await insertPost(turn, {
      post_author: user.id,
      post_type: type,
      post_title: title,
      post_content: text('content') ?? '',
      post_name: text('slug') ?? (await freeName(turn, title)),
      post_status: text('status') ?? 'draft',
      ...datesOf(text('date') ? sqlDate(new Date(`${text('date')}Z`)) : now),
    });
    return json(201, describePost(turn, post), { location: `${turn.site.url}/wp-json/wp/v2/${type}s/${post.ID}` });
  }
  const change = { post_title: text('title'), post_content: text('content'), post_status: text('status') };
  const given = Object.entries({ ...change, post_modified: now, post_modified_gmt: now }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const [post] = await turn.query(
    `update wp_posts set ${given.map(([name]) => `${name} = ?`).join(', ')} where ID = ? returning *`,
    ...given.map(([, value]) => value),
    Number(id) || 0,
  );
  turn.hasChanged = true;
  return post ? json(200, describePost(turn, post)) : unknownPost();
}

async function deletePost(turn: Turn, id: number): Promise<Answer> {
  const [post] = await turn.query('delete from wp_posts where ID = ? returning *', id || 0);
  if (!post) return unknownPost();
  turn.hasChanged = true;
  return json(200, { deleted: true, previous: describePost(turn, post) });
}

async function upload(turn: Turn, { headers, body }: SiteRequest, user: User): Promise<Answer> {
  const why = headers[UPLOADS_REFUSED_HEADER];
  if (why !== undefined) return refusal(402, 'siteyard_storage', String(why));
  const given = /filename="?([^";]+)"?/.exec(headers['content-disposition'] ?? '')?.[1] ?? '';
  const name = given.replaceAll(/[^\w.-]+/g, '-').replace(/^\.+/, '');
  if (name === '') return refusal(400, 'rest_upload_no_content_disposition', 'No Content-Disposition supplied.');
  const now = new Date();
  const folder = `uploads/${now.getUTCFullYear()}/${String(now.getUTCMonth() + 1).padStart(2, '0')}`;
  const [taken] = await turn.query("select count(*) as n from wp_posts where post_type = 'attachment'");
  const file = `${folder}/${Number(taken?.n) === 0 ? '' : `${taken?.n}-`}${name}`;
  await turn.writeContent(file, body);
  const post = await insertPost(turn, {
    post_author: user.id,
    post_type: 'attachment',
    post_title: name,
    post_content: '',
    post_name: await freeName(turn, name),
    post_status: 'inherit',
    guid: `${turn.site.url}/wp-content/${file}`,
    post_mime_type: headers['content-type'] ?? '',
    ...datesOf(sqlDate(now)),
  });
  return json(201, { ...describePost(turn, post), source_url: post.guid });
}

const SETTINGS: Record<string, string> = { title: 'blogname', description: 'blogdescription', email: 'admin_email' };

async function settings(turn: Turn, request: SiteRequest): Promise<Answer> {
  const fields = request.method === 'GET' ? {} : (fieldsOf(request) ?? {});
  for (const [name, option] of Object.entries(SETTINGS))
    if (typeof fields[name] === 'string') await turn.setOption(option, fields[name] as string);
  const shown: Record<string, unknown> = { url: turn.site.url };
  for (const [name, option] of Object.entries(SETTINGS)) shown[name] = (await turn.option(option)) ?? '';
  return json(200, shown);
}

async function insertPost(turn: Turn, post: Record<string, SqlValue>): Promise<SqlRow> {
  const row = { post_excerpt: '', to_ping: '', pinged: '', post_content_filtered: '', ...post };
  const names = Object.keys(row);
  const [made] = await turn.query(
    `insert into wp_posts (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) returning *`,
    ...Object.values(row),
  );
  turn.hasChanged = true;
  return made as SqlRow;
}

function describePost(turn: Turn, post: SqlRow) {
  const rendered = (value: SqlValue | undefined) => ({ raw: String(value), rendered: String(value) });
  return {
    id: Number(post.ID),
    date: String(post.post_date).replace(' ', 'T'),
    slug: post.post_name,
    status: post.post_status,
    type: post.post_type,
    link: `${turn.site.url}/${post.post_name}/`,
    title: rendered(post.post_title),
    content: rendered(post.post_content),
  };
}

/** A name for the address that no other post has. */
async function freeName(turn: Turn, title: string): Promise<string> {
  const name =
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-+|-+$/g, '') || 'post';
  const [taken] = await turn.query(
    "select count(*) as n from wp_posts where post_name = ?1 or post_name like ?1 || '-%'",
    name,
  );
  return Number(taken?.n) === 0 ? name : `${name}-${Number(taken?.n) + 1}`;
}

function fieldsOf({ headers, body }: SiteRequest): Record<string, unknown> | undefined {
  if (!headers['content-type']?.includes('json')) return Object.fromEntries(new URLSearchParams(body.toString()));
  try {
    return JSON.parse(body.toString() || '{}');
  } catch {
    return undefined;
  }
}

const sqlDate = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ');

const datesOf = (date: string) => ({
  post_date: date,
  post_date_gmt: date,
  post_modified: date,
  post_modified_gmt: date,
});
