import type { SqlRow } from '#runtimes/runtime.ts';
import { nonceOf, sessionCookie, signIn, takeLoginLink, visitorOf } from './access.ts';
import { type Answer, escapeHtml, html, NO_CACHE, redirect, type SiteRequest } from './answer.ts';
import type { Turn } from './turn.ts';

/** The pages that visitors see, and the way in. */
const KEEP_404_SECONDS = 30;

export async function frontPage(turn: Turn): Promise<Answer> {
  const [name = '', description = ''] = [await turn.option('blogname'), await turn.option('blogdescription')];
  const posts = await turn.query(
    "select * from wp_posts where post_type = 'post' and post_status = 'publish' order by post_date desc, ID desc limit 10",
  );
  const list = posts.map((post) => `<article><h2>${linkTo(turn, post)}</h2>${post.post_content}</article>`);
  const title = description === '' ? name : `${name} &#8211; ${description}`;
  return show(turn, title, `<h1><a href="${turn.site.url}/">${name}</a></h1>${list.join('')}`);
}

/** A post or a page by its name in the address. */
export async function postPage(turn: Turn, name: string): Promise<Answer> {
  const [post] = await turn.query(
    "select * from wp_posts where post_name = ? and post_status = 'publish' and post_type in ('post', 'page')",
    name,
  );
  const blog = (await turn.option('blogname')) ?? '';
  if (!post) {
    const answer = await show(turn, `Page not found &#8211; ${blog}`, '<h1>Page not found</h1>', 404);
    return { ...answer, headers: { ...answer.headers, ...NO_CACHE, 'x-siteyard-keep': KEEP_404_SECONDS } };
  }
  const title = `${escapeHtml(String(post.post_title))} &#8211; ${blog}`;
  return show(turn, title, `<article><h1>${linkTo(turn, post)}</h1>${post.post_content}</article>`);
}

export async function feed(turn: Turn): Promise<Answer> {
  const posts = await turn.query(
    "select * from wp_posts where post_type = 'post' and post_status = 'publish' order by ID desc limit 10",
  );
  const items = posts.map(
    (post) => `<item><title>${escapeHtml(String(post.post_title))}</title><link>${addressOf(turn, post)}</link></item>`,
  );
  const channel = `<title>${await turn.option('blogname')}</title><link>${turn.site.url}</link>${items.join('')}`;
  const body = `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>${channel}</channel></rss>`;
  return { status: 200, headers: { 'content-type': 'application/rss+xml; charset=UTF-8' }, body };
}

export async function loginPage(turn: Turn, { method, query, body }: SiteRequest): Promise<Answer> {
  const admin = `${turn.site.url}/wp-admin/`;
  const link = query.get('siteyard_login');
  if (link !== null) {
    const user = await takeLoginLink(turn, link);
    if (user) return redirect(admin, { 'set-cookie': await sessionCookie(turn, user) });
    return html(403, 'This link is used or too old. Ask for a new one on the dashboard.', NO_CACHE);
  }
  const fields = new URLSearchParams(method === 'POST' ? body.toString() : '');
  const user = method === 'POST' && (await signIn(turn, fields.get('log') ?? '', fields.get('pwd') ?? ''));
  if (user) return redirect(fields.get('redirect_to') || admin, { 'set-cookie': await sessionCookie(turn, user) });
  const form = `<form method="post" action="${turn.site.url}/wp-login.php"><label>Username <input name="log" id="user_login"></label>
    <label>Password <input name="pwd" id="user_pass" type="password"></label><button id="wp-submit">Log In</button></form>`;
  const cookie = 'wordpress_test_cookie=WP%20Cookie%20check; Path=/; HttpOnly';
  return html(200, page(`Log In &lsaquo; ${await turn.option('blogname')}`, '', form), {
    'set-cookie': cookie,
    ...NO_CACHE,
  });
}

export async function adminPage(turn: Turn, request: SiteRequest): Promise<Answer> {
  const user = await visitorOf(turn, request);
  const back = encodeURIComponent(`${turn.site.url}${request.url}`);
  if (!user) return redirect(`${turn.site.url}/wp-login.php?redirect_to=${back}&reauth=1`);
  if (request.path === '/wp-admin/admin-ajax.php')
    return request.query.get('action') === 'rest-nonce' ? html(200, nonceOf(turn, user)) : html(400, '0');
  const title = `Dashboard &lsaquo; ${await turn.option('blogname')} &#8212; WordPress`;
  return html(200, page(title, '', `<h1>Dashboard</h1><p>Howdy, ${escapeHtml(user.login)}</p>`), NO_CACHE);
}

/** What no-installer.php says. */
export function brokenDatabase(): Answer {
  const text = '<h1>This site is not available</h1><p>This site’s database is missing or damaged.</p>';
  const headers = { 'cache-control': 'no-store', 'retry-after': '60' };
  return html(503, page('This site is not available', '<meta name="robots" content="noindex">', text), headers);
}

async function show(turn: Turn, title: string, body: string, status = 200): Promise<Answer> {
  const isHidden = turn.isCopy || (await turn.option('blog_public')) === '0';
  const robots = `<meta name='robots' content='${isHidden ? 'noindex, nofollow' : 'max-image-preview:large'}' />`;
  const head = `${robots}<meta name="generator" content="WordPress ${turn.site.coreVersion}" />
    <link rel="canonical" href="${turn.site.url}/" />`;
  const headers = {
    link: `<${turn.site.url}/wp-json/>; rel="https://api.w.org/"`,
    ...(turn.isCopy && { 'x-robots-tag': 'noindex, nofollow' }),
  };
  return html(status, page(title, head, body), headers);
}

function page(title: string, head: string, body: string): string {
  return `<!doctype html><html lang="en-US"><head><meta charset="UTF-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;
}

const addressOf = (turn: Turn, post: SqlRow) => `${turn.site.url}/${post.post_name}/`;

const linkTo = (turn: Turn, post: SqlRow) =>
  `<a href="${addressOf(turn, post)}">${escapeHtml(String(post.post_title))}</a>`;
