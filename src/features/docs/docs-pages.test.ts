import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import type { TestApp } from '#testkit/app/test-app.ts';

const SOURCES = join(import.meta.dirname, '../..');

describe('the docs', () => {
  let app: TestApp;
  let pages: Map<string, string>;

  before(async () => {
    app = await sharedApp();
    pages = await crawl(app.url);
  });

  it('answer an unknown address with a page that says so and offers what the address may have meant', async () => {
    const response = await fetch(`${app.url}/docs/guides/time-machine`);
    const html = await response.text();
    assert.equal(response.status, 404);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(html, /<title>Page not found · Siteyard docs<\/title>/);
    assert.match(html, /<h1>Page not found<\/h1>/);
    assert.match(html, /<ol>.*href="\/docs\/time-machine/s);
    const hostile = await (await fetch(`${app.url}/docs/%22%3E%3Cscript%3Ealert(1)%3C/script%3E`)).text();
    assert.doesNotMatch(hostile, /alert\(1\)<|"><script>alert/);
  });

  it('have no link that leads nowhere, to a page or to a heading', async () => {
    const dead: string[] = [];
    for (const [path, html] of pages) {
      for (const [, href = ''] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
        const { origin, pathname, hash } = new URL(href, app.url + path);
        if (origin !== app.url || !pathname.startsWith('/docs') || pathname === '/docs/search') continue;
        const target = pages.get(pathname);
        const isThere = target !== undefined && (hash === '' || target.includes(`id="${hash.slice(1)}"`));
        if (!isThere) dead.push(`${path}: ${href}`);
      }
    }
    assert.deepEqual(dead, []);
    assert.ok(pages.size > 40, `${pages.size} pages`);
  });

  it('show every operation under a short name', () => {
    const index = pages.get('/docs/reference') ?? '';
    assert.match(index, /<b>Create site<\/b>/);
    const names = [...index.matchAll(/<\/span><b>([^<]+)<\/b>/g)].map((match) => match[1] as string);
    assert.ok(names.length > 150);
    assert.deepEqual(
      names.filter((name) => name.length > 34),
      [],
    );
  });

  it('list every error code that the service declares, and each refusal links to its own', async () => {
    const errors = pages.get('/docs/errors') ?? '';
    const declared = await declaredCodes();
    assert.ok(declared.size > 100);
    assert.deepEqual(
      [...declared].filter((code) => !errors.includes(`id="${code}"`)),
      [],
    );
    const { token } = await registerPerson(app);
    const refused: [string, RequestInit, string][] = [
      ['/me', {}, 'auth.required'],
      ['/nowhere', {}, 'route.not_found'],
      ['/site/nothing.example.com', {}, 'site.not_found'],
      ['/site', { method: 'POST', body: '{}' }, 'request.invalid'],
      // Kept under its key, and shown again.
      ['/support/ticket', { method: 'POST', body: '{}', headers: { 'idempotency-key': 'k' } }, 'request.invalid'],
    ];
    for (const [path, init, code] of refused) {
      const authorization = code === 'auth.required' ? '' : `Bearer ${token}`;
      const headers = { ...init.headers, authorization, 'content-type': 'application/json' };
      const answer = await fetch(app.api + path, { ...init, headers });
      assert.equal(answer.headers.get('link'), `</docs/errors#${code}>; rel="help"`, path);
    }
  });

  it('are sent once to a browser that has them, and run nothing that is not ours', async () => {
    const first = await fetch(`${app.url}/docs/api`);
    const etag = first.headers.get('etag') as string;
    assert.match(first.headers.get('content-security-policy') ?? '', /script-src 'self'; style-src 'self';/);
    const again = await fetch(`${app.url}/docs/api`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
  });

  it('answer a search as JSON and as a page, whatever is asked', async () => {
    const headers = { accept: 'application/json' };
    const ask = async (q: string) => {
      const answer = await fetch(`${app.url}/docs/search?q=${encodeURIComponent(q)}`, { headers });
      return ((await answer.json()) as { results: { address: string }[] }).results;
    };
    assert.match((await ask('restore a site'))[0]?.address ?? '', /^\/docs\/time-machine/);
    assert.equal((await ask('createWebhook'))[0]?.address, '/docs/reference/webhooks#createWebhook');
    assert.equal((await ask('site.busy'))[0]?.address, '/docs/errors#site.busy');
    assert.deepEqual(await ask(''), []);
    const hostile = '<script>alert(1)</script>"\'';
    const page = await (await fetch(`${app.url}/docs/search?q=${encodeURIComponent(hostile)}`)).text();
    assert.ok(!page.includes('<script>alert'));
    assert.equal((await fetch(`${app.url}/docs/search?q=a&q=b`)).status, 200);
  });
});

/** All pages that links lead to from the first one on. */
async function crawl(url: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const answer = await fetch(url + path);
    if (answer.status !== 200) continue;
    const html = await answer.text();
    pages.set(path, html);
    for (const [, found = ''] of html.matchAll(/href="(\/docs[^"#?]*)/g))
      if (found !== '/docs/search') waiting.push(found);
  }
  return pages;
}

async function declaredCodes(): Promise<Set<string>> {
  const entries = await readdir(SOURCES, { recursive: true });
  const files = entries.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const texts = await Promise.all(files.map((name) => readFile(join(SOURCES, name), 'utf8')));
  const codes = texts.flatMap((text) =>
    [...text.matchAll(/= failure\(\s*'([a-z0-9_.]+)'/g)].map((match) => match[1] as string),
  );
  return new Set(codes);
}
