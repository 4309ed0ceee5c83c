import { all, make } from './dom.ts';
import { openCall } from './try-call.ts';

const API = '/f/api/v1';
const STORAGE_KEY = 'siteyard.docs.token';
const DAY_MS = 24 * 60 * 60 * 1000;

/** What stands in the examples for what is the reader's own. */
type Own = Partial<Record<'$TOKEN' | '$TEAM' | '$SITE', string>>;

/**
 * The reference for somebody who is signed in: examples with their team and their site, calls that can be tried, and a token for
 * the examples where they ask for one. The session itself is a cookie that no script can read. A token is made for this, lasts a day, stays
 * in this tab, and is never sent anywhere by the page.
 */
export function offerCalls(): void {
  const bar = document.querySelector<HTMLElement>('.own');
  if (bar) void offer(bar);
}

async function offer(bar: HTMLElement): Promise<void> {
  const me = await ask<{ email: string }>('/me');
  bar.hidden = false;
  if (!me) {
    bar.append(
      make('p', {}, make('a', { href: '/' }, 'Sign in'), ' to try these calls here, with your own values filled in.'),
    );
    return;
  }
  const [teams, sites] = await Promise.all([
    ask<{ results: { id: string }[] }>('/team?size=1'),
    ask<{ results: { fqdn: string }[] }>('/site?size=1'),
  ]);
  const own: Own = {};
  const team = teams?.results[0]?.id;
  const site = sites?.results[0]?.fqdn;
  if (team) own.$TEAM = team;
  if (site) own.$SITE = site;
  const kept = keptToken();
  if (kept) own.$TOKEN = kept;
  fillIn(own);
  offerToken(bar, me.email, own);
  for (const button of all<HTMLButtonElement>('.operation button.try')) {
    const section = button.closest<HTMLElement>('.operation');
    if (!section || section.querySelector('[data-body="application/octet-stream"]')) continue;
    button.hidden = false;
    button.addEventListener('click', () => openCall(section, { fqdn: own.$SITE, team_id: own.$TEAM }));
  }
}

function offerToken(bar: HTMLElement, email: string, own: Own): void {
  const text = make('p', { role: 'status' });
  const say = () => {
    text.textContent = own.$TOKEN
      ? `Signed in as ${email}. Your token is in the examples until you close this tab; it ends by itself within a day.`
      : `Signed in as ${email}. Your team and your site are in the examples.`;
  };
  const buttons = (['read', 'write'] as const).map((scope) => {
    const button = make(
      'button',
      { type: 'button' },
      scope === 'read' ? 'Fill in a token that reads' : '… that writes too',
    );
    button.addEventListener('click', async () => {
      const scopes = scope === 'read' ? ['read'] : ['read', 'write'];
      const expires_at = new Date(Date.now() + DAY_MS).toISOString();
      const made = await ask<{ token: string }>('/api_token', { name: 'Examples in the docs', scopes, expires_at });
      if (!made) {
        text.textContent = 'No token could be made; your account page says why.';
        return;
      }
      own.$TOKEN = made.token;
      keepToken(made.token);
      fillIn(own);
      say();
    });
    return button;
  });
  say();
  bar.append(text, make('div', {}, ...buttons));
}

/** Puts values where variables of the shell stand, and remembers which was which. */
function fillIn(own: Own): void {
  for (const code of all('.operation .example code')) {
    const source = code.dataset.source ?? code.innerHTML;
    code.dataset.source = source;
    code.innerHTML = source;
    for (const span of all('.t-name, .t-string', code)) span.textContent = withOwn(span.textContent ?? '', own);
    for (const node of textsIn(code)) node.data = withOwn(node.data, own);
  }
}

function withOwn(text: string, own: Own): string {
  return text.replaceAll(/'(\$[A-Z]+)'|(\$[A-Z]+)/g, (whole, quoted: string | undefined, bare: string | undefined) => {
    return own[(quoted ?? bare) as keyof Own] ?? whole;
  });
}

function textsIn(element: HTMLElement): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) found.push(node as Text);
  return found;
}

async function ask<Answer>(path: string, body?: object): Promise<Answer | undefined> {
  const init: RequestInit = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {};
  try {
    const answer = await fetch(API + path, { ...init, credentials: 'same-origin' });
    return answer.ok ? ((await answer.json()) as Answer) : undefined;
  } catch {
    return undefined;
  }
}

function keptToken(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function keepToken(token: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, token);
  } catch {
    // Blocked storage: it lasts as long as the page.
  }
}
