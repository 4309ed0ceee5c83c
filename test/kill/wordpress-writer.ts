import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Visited, visit } from '#testkit/clients/visit.ts';
import { type Session, signInToSite } from '#testkit/clients/wordpress-session.ts';
import type { Random } from '#testkit/random.ts';

const PAGE = 100;

/** What a post may say: what it said when that was last acknowledged, and what was sent since without an answer. */
interface Post {
  id: number;
  title: string;
  possible: string[];
}

/** Somebody who writes posts, changes them and uploads files, one after the other, whatever becomes of each; and knows what WordPress acknowledged. */
export class WordPressWriter {
  readonly faults: string[] = [];
  acknowledged = 0;
  /** Sent, and never answered with success: whether they were done nobody knows. */
  inDoubt = 0;
  readonly #app: { url: string };
  readonly #fqdn: string;
  readonly #name: string;
  readonly #random: Random;
  readonly #session: Session;
  readonly #nonce: string;
  readonly #posts: Post[] = [];
  /** By the path at which visitors find them. */
  readonly #files = new Map<string, string>();
  #count = 0;

  private constructor(
    app: { url: string },
    fqdn: string,
    name: string,
    random: Random,
    session: Session,
    nonce: string,
  ) {
    this.#app = app;
    this.#fqdn = fqdn;
    this.#name = name;
    this.#random = random;
    this.#session = session;
    this.#nonce = nonce;
  }

  static async signIn(app: { url: string }, fqdn: string, name: string, random: Random): Promise<WordPressWriter> {
    const session = await signInToSite(app, fqdn);
    const { text } = await session.ask('/wp-admin/admin-ajax.php?action=rest-nonce');
    assert.match(text, /^[0-9a-f]{10}$/);
    return new WordPressWriter(app, fqdn, name, random, session, text);
  }

  async write(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const isDone = await [() => this.#post(), () => this.#change(), () => this.#upload()][this.#random.below(3)]?.();
      if (isDone) this.acknowledged++;
      else await sleep(50);
    }
  }

  /** What is not as it was acknowledged, or is there twice. */
  async findLost(): Promise<string[]> {
    const lost: string[] = [];
    const found = new Map<string, string[]>();
    for (const { title, content } of await this.#listPosts())
      found.set(title.raw, [...(found.get(title.raw) ?? []), content.raw]);
    for (const { title, possible } of this.#posts) {
      const texts = found.get(title) ?? [];
      if (texts.length !== 1 || !possible.includes(texts[0] as string))
        lost.push(`post ${title}: ${JSON.stringify(texts)} instead of ${JSON.stringify(possible)}`);
    }
    for (const [title, texts] of found) if (texts.length > 1) lost.push(`post ${title} is there ${texts.length} times`);
    for (const [path, text] of this.#files) {
      const seen = await visit(this.#app, this.#fqdn, path);
      if (seen.status !== 200 || seen.text !== text)
        lost.push(`file ${path}: ${seen.status} ${seen.text.slice(0, 60)}`);
    }
    return lost;
  }

  async #post(): Promise<boolean> {
    const title = `${this.#name} ${this.#count++}`;
    const made = await this.#send('posts', { title, content: 'first', status: 'publish' });
    if (made) this.#posts.push({ id: Number(made.id), title, possible: ['first'] });
    return made !== undefined;
  }

  async #change(): Promise<boolean> {
    if (this.#posts.length === 0) return this.#post();
    const post = this.#random.pick(this.#posts);
    const content = `changed ${this.#count++}`;
    post.possible.push(content);
    const changed = await this.#send(`posts/${post.id}`, { content });
    if (changed) post.possible = [content];
    return changed !== undefined;
  }

  async #upload(): Promise<boolean> {
    const name = `${this.#name.replaceAll(' ', '-')}-${this.#count++}.txt`;
    const text = this.#random.text(2_000);
    const headers = { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="${name}"` };
    const made = await this.#send('media', text, headers);
    if (made) this.#files.set(new URL(String(made.source_url)).pathname, text);
    return made !== undefined;
  }

  /** What WordPress says when it has done it; undefined where nobody knows whether it did. */
  async #send(
    what: string,
    body: object | string,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ): Promise<Record<string, unknown> | undefined> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await this.#ask(`/?rest_route=/wp/v2/${what}`, { method: 'POST', headers, body: text }).catch(
      () => undefined,
    );
    if (answer?.status === 200 || answer?.status === 201) return JSON.parse(answer.text);
    // A kill may break anything off, but it is no reason to refuse somebody.
    if (answer && answer.status < 500) this.faults.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
    this.inDoubt++;
    return undefined;
  }

  async #listPosts(): Promise<{ title: { raw: string }; content: { raw: string } }[]> {
    const all = [];
    for (let page = 1; ; page++) {
      const search = encodeURIComponent(this.#name);
      const path = `/?rest_route=/wp/v2/posts&context=edit&search=${search}&per_page=${PAGE}&page=${page}&orderby=id`;
      const answer = await this.#ask(path, {});
      assert.equal(answer.status, 200, answer.text);
      const posts = JSON.parse(answer.text);
      all.push(...posts);
      if (posts.length < PAGE) return all;
    }
  }

  #ask(path: string, request: { method?: string; headers?: Record<string, string>; body?: string }): Promise<Visited> {
    return this.#session.ask(path, { ...request, headers: { 'x-wp-nonce': this.#nonce, ...request.headers } });
  }
}
