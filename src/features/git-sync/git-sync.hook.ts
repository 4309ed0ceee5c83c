import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Services } from '#core/services.ts';
import { findSiteById, findStage } from '#features/instance/instance.ts';
import { syncIfIdle } from './git-sync.look.ts';
import { noHook } from './git-sync.schema.ts';
import { findLink, type LinkRow } from './git-sync.sql.ts';

type Headers = Record<string, string | string[] | undefined>;

/**
 * A push that a Git host tells of. What is not signed with the site's secret is answered as if there were no such site. The push
 * itself is not believed in anything but its branch, and that it brought what the site has: what is there is looked up.
 */
export async function receivePush(services: Services, siteId: string, headers: Headers, body: Buffer): Promise<number> {
  const { db, secrets } = services;
  const [link, site] = [await findLink(db, siteId), await findSiteById(db, siteId)];
  if (!link || site?.kind !== 'live') throw noHook();
  if (!isSigned(secrets.open(link.hook_secret_sealed).toString(), headers, body)) throw noHook();
  const { branch, after } = pushIn(headers, body);
  if (branch === undefined) return 0;
  const stage = await findStage(db, siteId);
  const links = [link, stage && (await findLink(db, stage.id))].filter((each) => each !== undefined);
  const followers = links.filter((each) => follows(each, branch));
  for (const { site_id } of followers) {
    // It came from the site itself, or for the second time: what else the site has changed is not to be lost by that.
    const has = site_id === siteId ? site.git_last_sync_hash : stage?.git_last_sync_hash;
    if (after === undefined || after !== has) await syncIfIdle(services, site_id, { by: null, trigger: 'push' });
  }
  return followers.length;
}

/** Before its first sync nobody knows the default branch of a repository. */
const follows = ({ branch, default_branch }: LinkRow, pushed: string) =>
  (branch ?? default_branch ?? pushed) === pushed;

/** GitHub, then Gitea, then GitLab, which shows the secret itself. */
function isSigned(secret: string, headers: Headers, body: Buffer): boolean {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const given = (name: string) => (typeof headers[name] === 'string' ? (headers[name] as string) : '');
  return (
    isSame(given('x-hub-signature-256'), `sha256=${signature}`) ||
    isSame(given('x-gitea-signature'), signature) ||
    isSame(given('x-gitlab-token'), secret)
  );
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** GitHub sends a form where nobody chose JSON. */
function pushIn(headers: Headers, body: Buffer): { branch?: string | undefined; after?: string | undefined } {
  const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const text = isForm ? (new URLSearchParams(body.toString()).get('payload') ?? '') : body.toString();
  try {
    const { ref, after } = JSON.parse(text) as { ref?: unknown; after?: unknown };
    const branch = typeof ref === 'string' ? /^refs\/heads\/(.+)$/s.exec(ref)?.[1] : undefined;
    return { branch, after: typeof after === 'string' ? after : undefined };
  } catch {
    return {};
  }
}
