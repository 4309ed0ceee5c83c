import { randomUUID } from 'node:crypto';
import { type Caller, hasRole } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, forbidden, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import { API_PREFIX, type Call } from '#core/http/operation.ts';
import { type Access, onTeam } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { findSite, findSiteById } from '#features/instance/instance.ts';
import { findDefaultTeamId, lockWorkingTeam } from '#features/team/team.ts';
import { demoUrl } from './demo.ts';
import { type InspectedArchive, inspectArchive } from './template.archive.ts';
import { buildTemplate, countStorage, forgetLater, SITE_LEFT } from './template.jobs.ts';
import { insertUnderFreeName, nameFrom } from './template.names.ts';
import {
  type NewTemplate,
  type Template,
  type TemplateChange,
  templateBusy,
  templateNotFound,
  templateRefused,
  templateStorage,
  tooManyTemplates,
} from './template.schema.ts';
import {
  countOf,
  deleteTemplateRow,
  findVisible,
  lockTemplate,
  type TemplateRow,
  updateTemplateRow,
} from './template.sql.ts';

export { withDemos } from './demo.ts';
export { type TemplateContent, templateContent } from './template.content.ts';

const MAX_TEMPLATES = 50;

export const viewTemplate = (services: Services, row: TemplateRow): Template => ({
  id: row.id,
  name: row.name,
  description: row.description,
  tag: row.tag as Template['tag'],
  url: row.url,
  is_public: row.is_public,
  approved: row.approved,
  plugins: row.plugins,
  readme: row.readme,
  ready: row.content_id !== null,
  demo_url: demoUrl(services, row),
  picture_url: pictureUrl(services, row),
  team_id: row.team_id,
  user_id: row.user_id,
  created_at: row.created_at,
});

/** Another one where it is another picture: browsers may keep it. */
function pictureUrl({ config }: Services, { name, shipped_as, picture, content_hash }: TemplateRow): string | null {
  if (shipped_as === null && picture === null) return null;
  return `${config.baseUrl}${API_PREFIX}/template/${name}/picture?version=${content_hash?.slice(0, 12) ?? 0}`;
}

/** Whoever made it, and the admins of the team that they made it for. */
export const onOwnTemplate: Access<TemplateRow> = {
  who: 'user',
  rule: 'whoever made it, or admin of its team and above',
  named: 'path',
  errors: [templateNotFound, forbidden],
  find: async (db, caller, input) => {
    const template = await findVisible(db, caller, String(input.template_name));
    if (!template) throw templateNotFound();
    const { team_id, user_id } = template;
    const isAdmin = team_id !== null && hasRole(caller, team_id, 'admin');
    const isMaker = user_id === caller.userId && (team_id === null || caller.roles.has(team_id));
    if (!isMaker && !isAdmin) throw forbidden({ message: ONLY_OWNERS[team_id === null ? 'account' : 'team'] });
    return template;
  },
};

const ONLY_OWNERS = {
  team: 'Only the creator of the template or an admin of its team can do this. Ask one of them.',
  account: 'Only the creator of the template can do this. Ask them, or create your own template.',
};

export interface PreparedTemplate {
  teamId: string | null;
  /** True if only this team sees the template before it is public; otherwise all teams of its creator do. */
  isForTeam: boolean;
  siteId: string | null;
  archive: InspectedArchive | undefined;
}

/** What is slow: the archive is fetched and read to its end, and refused here where it must be. */
export async function prepareTemplate(
  db: Db,
  services: Services,
  caller: Caller,
  input: NewTemplate,
): Promise<PreparedTemplate> {
  if (input.team_id !== undefined) onTeam(caller, input.team_id, 'member');
  if (input.fqdn !== undefined) {
    const site = await findSite(db, input.fqdn);
    if (!site || !caller.roles.has(site.team_id))
      throw invalid(bodyFault('fqdn', 'Value error, there is no such site in your teams'));
    if (!hasRole(caller, site.team_id, 'member'))
      throw forbidden({ message: 'This needs the role member or above in the team of the site.' });
    if (input.team_id !== undefined && input.team_id !== site.team_id)
      throw invalid(bodyFault('team_id', 'Value error, the site is in another team'));
    requirePage(input.url);
    return { teamId: site.team_id, isForTeam: true, siteId: site.id, archive: undefined };
  }
  const teamId = input.team_id ?? (await findOwningTeam(db, caller));
  const archive = await inspectArchive(db, services, caller, { url: input.url, theme: input.theme });
  const isForTeam = teamId !== null && (input.team_id !== undefined || caller.roles.size === 1);
  return { teamId, isForTeam, siteId: null, archive };
}

/** Returns the caller's default team, or the only team that the credential reaches; null if there is neither. */
async function findOwningTeam(db: Db, caller: Caller): Promise<string | null> {
  const [only, another] = caller.roles.keys();
  if (another === undefined) return only ?? null;
  const own = await findDefaultTeamId(db, caller.userId);
  return own !== undefined && caller.roles.has(own) ? own : null;
}

/** Writes the template, its event and the job that makes what sites are made from, together. */
export async function createTemplate(
  call: Call,
  input: NewTemplate,
  prepared: PreparedTemplate,
  wantsDemo: boolean,
): Promise<Template> {
  const { db, caller } = call;
  const { teamId, isForTeam, siteId, archive } = prepared;
  if (teamId !== null) await requireStorage(db, teamId);
  if ((await countOf(db, caller.userId)) >= MAX_TEMPLATES) throw tooManyTemplates();
  const row = await insertUnderFreeName(db, nameFrom(input), {
    id: randomUUID(),
    user_id: caller.userId,
    team_id: teamId,
    is_for_team: isForTeam,
    of_site_id: siteId,
    url: input.url.trim(),
    description: input.description.trim(),
    tag: input.tag,
    is_public: input.is_public,
    theme: input.theme ?? null,
    plugins: archive?.plugins ?? null,
    readme: archive?.readme ?? null,
    working_event_id: null,
    wants_demo: wantsDemo,
  });
  const eventId = await recordTemplateEvent(db, caller, row, 'created', row.name, true);
  await enqueueBuild(call, row, eventId, archive?.commit);
  return viewTemplate(call.services, await updateTemplateRow(db, row.id, { working_event_id: eventId }));
}

/** It counts for the storage of its team. */
async function requireStorage(db: Db, teamId: string): Promise<void> {
  const team = await lockWorkingTeam(db, teamId);
  if (team.storage_is_used_up) throw templateStorage();
}

/** It makes what was looked at, whatever the row says by then. */
async function enqueueBuild(
  { db, services, caller, headers }: Call,
  template: TemplateRow,
  eventId: string,
  commit: string | undefined,
): Promise<void> {
  const mayUseAccounts = caller.credential.teamId === null;
  const from = commit === undefined ? { siteId: template.of_site_id } : { url: template.url, commit };
  const work = {
    templateId: template.id,
    eventId,
    contentId: randomUUID(),
    userId: caller.userId,
    mayUseAccounts,
    from,
  };
  await services.jobs.enqueue(db, buildTemplate, work, template.id, template.team_id ?? caller.userId);
  headers['operation-id'] = eventId;
}

function recordTemplateEvent(
  db: Db,
  caller: Caller,
  { id, team_id }: Pick<TemplateRow, 'id' | 'team_id'>,
  verb: 'created' | 'updated' | 'deleted',
  name: string,
  unfinished = false,
): Promise<string> {
  return recordEvent(db, {
    scope: team_id === null ? 'account' : 'team',
    event_type: `template.${verb}`,
    activity: `${caller.fullName} ${verb} the template ${name}`,
    by: caller,
    item_id: id,
    ...(team_id !== null && { team_id }),
    unfinished,
  });
}

/** Looks at the archive again where it is to be fetched again. */
export async function prepareUpdate(
  { db, services, caller, subject: template }: Call<unknown, unknown, unknown, TemplateRow>,
  url: string | undefined,
  isFetched: boolean,
): Promise<InspectedArchive | undefined> {
  if (template.of_site_id !== null) {
    if (url !== undefined) requirePage(url);
    if (!isFetched) return undefined;
    const site = await findSiteById(db, template.of_site_id);
    if (site?.team_id !== template.team_id) throw templateRefused({ message: SITE_LEFT });
    return undefined;
  }
  // A new URL is inspected even if its content is fetched later, so that the row never names an unusable archive.
  if (!isFetched && (url === undefined || url.trim() === template.url)) return undefined;
  return inspectArchive(db, services, caller, { url: url ?? template.url, theme: template.theme ?? undefined });
}

/** Rejects an address that is not the page which shows a site. */
function requirePage(url: string): void {
  if (!/^https?:\/\//i.test(url)) throw invalid(bodyFault('url', 'Value error, it must be a web page'));
}

/** What sites are made from changes only when it is fetched again, and then an operator has to look at it again. */
export async function updateTemplate(
  call: Call<unknown, unknown, TemplateChange, TemplateRow, InspectedArchive | undefined>,
  isFetched: boolean,
): Promise<Template> {
  const { db, caller, subject } = call;
  const template = await lockTemplate(db, subject.id);
  if (!template) throw templateNotFound();
  if ((isFetched || call.body.url !== undefined) && template.working_event_id !== null) throw templateBusy();
  if (isFetched && template.team_id !== null) await requireStorage(db, template.team_id);
  const change = changeOf(call, template, isFetched);
  if (Object.keys(change).length === 0) return viewTemplate(call.services, template);
  const eventId = await recordTemplateEvent(db, caller, template, 'updated', template.name, isFetched);
  const row = await updateTemplateRow(db, template.id, { ...change, ...(isFetched && { working_event_id: eventId }) });
  if (isFetched) await enqueueBuild(call, row, eventId, call.prepared?.commit);
  return viewTemplate(call.services, row);
}

/** Whatever an operator looked at before they approved it has to be looked at again. */
function changeOf(
  {
    caller,
    body,
    prepared: archive,
  }: Call<unknown, unknown, TemplateChange, TemplateRow, InspectedArchive | undefined>,
  template: TemplateRow,
  isFetched: boolean,
): Partial<TemplateRow> {
  const isSaid = (name: 'url' | 'description') => body[name] !== undefined && body[name] !== template[name];
  const isAnother = isFetched || isSaid('url') || isSaid('description');
  return {
    ...body,
    ...(isAnother && { approved: template.approved && caller.isSuperuser }),
    ...(body.url !== undefined && { url: body.url.trim() }),
    ...(isFetched && archive && { plugins: archive.plugins, readme: archive.readme }),
  };
}

export async function approveTemplate(
  call: Call<unknown, unknown, { approved: boolean }, TemplateRow>,
): Promise<Template> {
  const { db, services, caller, subject, body } = call;
  const template = await lockTemplate(db, subject.id);
  // What is being made is not what the operator has seen.
  if (!template || template.working_event_id !== null) throw templateBusy();
  await recordTemplateEvent(db, caller, subject, 'updated', subject.name);
  return viewTemplate(services, await updateTemplateRow(db, subject.id, { approved: body.approved }));
}

/** Its name is free at once. Sites that are being made from it are made. */
export async function deleteTemplate({
  db,
  services,
  caller,
  subject,
}: Call<unknown, unknown, unknown, TemplateRow>): Promise<void> {
  const template = await lockTemplate(db, subject.id);
  if (!template) throw templateNotFound();
  await deleteTemplateRow(db, template.id);
  await countStorage(db, template, 0);
  await forgetLater(db, services, template);
  await recordTemplateEvent(db, caller, template, 'deleted', template.name);
}
