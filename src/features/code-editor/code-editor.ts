import { randomBytes } from 'node:crypto';
import { hashToken } from '#core/auth/tokens.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { requireIdle } from '#features/hold/hold.ts';
import { recordSiteEvent, type SiteRow, siteUrl } from '#features/instance/instance.ts';
import { editorName } from '#features/site-name/site-name.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { type CodeServerLogin, codeServerOff, ENTRANCE } from './code-editor.schema.ts';
import { copiesOf, insertTicket } from './code-editor.sql.ts';

/** The code editor of a site: where it is, who gets in, and how it is doing. */
export { prepareEditor } from './code-editor.jobs.ts';
export { withEditors } from './editor-gate.ts';

const TICKET_MS = 60_000;

function editorUrl(services: Pick<Services, 'config'>, site: Pick<SiteRow, 'id' | 'fqdn' | 'kind'>): string {
  return siteUrl(services, editorName(services.config, site));
}

/** A link that opens the editor, once, for whoever could change the site anyway. */
export async function createCodeServerLogin(call: Call, live: SiteRow, site: SiteRow): Promise<CodeServerLogin> {
  const { db, services, caller } = call;
  await lockWorkingTeam(db, live.team_id);
  if (!live.code_server_enabled) throw codeServerOff();
  requireIdle(site);
  const ticket = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + TICKET_MS);
  await insertTicket(db, { hash: hashToken(ticket), siteId: site.id, credentialId: caller.credential.id, expiresAt });
  const activity = `${caller.fullName} opened the code editor of ${site.fqdn}`;
  await recordSiteEvent(db, caller, site, { event_type: 'site.signed_in', activity });
  return { url: `${editorUrl(services, site)}${ENTRANCE}?ticket=${ticket}`, expires_at: expiresAt };
}

/** Stops the editors of a site and its stage; whoever opens a page of one wakes it again. */
export async function sleepEditor({ db, services }: Pick<Call, 'db' | 'services'>, site: SiteRow): Promise<void> {
  for (const id of [site.id, ...(await copiesOf(db, site.id))]) await services.hosts.stopEditor({ ...site, id });
}

/** For `properties.code_server`. */
export async function editorView(services: Services, site: SiteRow): Promise<Record<string, unknown>> {
  if (!site.code_server_enabled) return { state: 'off', url: null };
  const url = editorUrl(services, site);
  if (site.core_version === null) return { state: 'asleep', url };
  try {
    return { ...(await services.hosts.editorState(site)), url };
  } catch {
    return { state: 'failed', reason: 'The host of the site can not be reached right now.', url };
  }
}
