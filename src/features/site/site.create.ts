import { randomUUID } from 'node:crypto';
import type { Caller } from '#core/auth/caller.ts';
import { recheckRights } from '#core/auth/revocation.ts';
import { siteHostParts } from '#core/cluster.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, type Fault, invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { linkSite, type PreparedLink, prepareLink } from '#features/git-sync/git-sync.ts';
import { hold } from '#features/hold/hold.ts';
import { findSiteById, newPasswords, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import { holdRegion, listRegions, placeInRegion, type Region } from '#features/region/region.ts';
import {
  checkName,
  insertNamedSite,
  isUnderSiteDomain,
  type NameClaim,
  readClaim,
  requireFreeName,
  takenName,
  takeProvenName,
} from '#features/site-name/site-name.ts';
import { lockWorkingTeam, type TeamRow } from '#features/team/team.ts';
import { type TemplateContent, templateContent } from '#features/template/template.ts';
import { findDefaultRegion } from '#features/user/user.ts';
import type { Place } from '#host/site-host.ts';
import { hashForWordPress } from '#runtimes/wordpress/password.ts';
import type { Config } from '../../config.ts';
import { createSiteJob, type SiteContent } from './site.jobs.ts';
import { requireSlot, requireStorage } from './site.limits.ts';
import { checkPassword } from './site.rules.ts';
import type { NewSite, Site, SitePlace } from './site.schema.ts';
import { completeSite } from './site.view.ts';

/** What is known of a new site before its transaction begins. */
export interface PreparedPlace {
  region: Region;
  claim: NameClaim;
}

export interface PreparedSite extends PreparedPlace {
  /** The password as WordPress keeps it. The password itself ends here. */
  passwordHash: string;
  /** The repository that it follows from its beginning. */
  link: PreparedLink | undefined;
  template: TemplateContent | undefined;
}

/** Finds every fault that needs a look at the data, then does what is slow. */
export async function prepareSite(db: Db, services: Services, caller: Caller, input: NewSite): Promise<PreparedSite> {
  const { region, faults } = await findPlace(db, services, caller, input);
  faults.push(...checkPassword(input));
  const template = input.template_name ? await templateContent(db, caller, input.template_name) : undefined;
  if (template && 'fault' in template) faults.push(bodyFault('template_name', `Value error, ${template.fault}`));
  if (faults.length > 0 || !region) throw invalid(...faults);
  const link = input.git_url ? await prepareLink(db, services, caller, input.git_url) : undefined;
  const claim = await readClaim(db, services, input.fqdn, input.team_id);
  const content = template && 'content' in template ? template.content : undefined;
  return { region, claim, link, template: content, passwordHash: await hashForWordPress(input.cms_password) };
}

/** Its region, and what is wrong with its name. */
export async function findPlace(
  db: Db,
  { config }: Services,
  caller: Caller,
  { fqdn, region_name }: SitePlace,
): Promise<{ region: Region | undefined; faults: Fault[] }> {
  const regions = await listRegions(db);
  const cnames = regions.map(({ cname }) => cname);
  const region = await chooseRegion(db, caller, regions, region_name?.trim() || undefined);
  return { region, faults: [...checkName(config, 'fqdn', fqdn, cnames), ...(region ? [] : [noSuchRegion])] };
}

/** Without a name it is the account's default region, else the one that the platform began with. */
async function chooseRegion(
  db: Db,
  caller: Caller,
  regions: Region[],
  wanted: string | undefined,
): Promise<Region | undefined> {
  if (wanted !== undefined) return regions.find(({ name }) => name === wanted);
  const own = await findDefaultRegion(db, caller.userId);
  return regions.find(({ id }) => id === own?.id) ?? regions[0];
}

const noSuchRegion = bodyFault('region_name', 'Value error, there is no region of this name');

/** Writes the site, its name, its event and the job that makes it, together. */
export function createSite(
  call: Call,
  input: NewSite,
  { passwordHash, template, ...prepared }: PreparedSite,
): Promise<Site> {
  const { secrets, config } = call.services;
  const id = randomUUID();
  return addSite(call, input, {
    ...prepared,
    id,
    at: placeFor(config, prepared.region, id, template),
    activity: 'created',
    content: {
      ...(template && { template }),
      title: input.cms_blog_name.trim(),
      username: input.cms_username,
      email: input.cms_email,
      firstName: input.cms_first_name.trim(),
      lastName: input.cms_last_name.trim(),
      passwordHashSealed: secrets.seal(Buffer.from(passwordHash)).toString('base64'),
    },
  });
}

/** What a template keeps is read from anywhere where each host has its own place for that, and else on its own host alone. */
function placeFor(config: Config, region: Region, id: string, template: TemplateContent | undefined): Place {
  const place = placeInRegion(config, region, id);
  return template && !siteHostParts(place.host) ? { host: template.host, driver: template.driver } : place;
}

interface AddedSite extends PreparedPlace {
  id: string;
  at: Place;
  /** What whoever adds it did. */
  activity: 'created' | 'imported';
  content: SiteContent;
  link?: PreparedLink | undefined;
  storageBytes?: number;
}

export async function addSite(call: Call, input: SitePlace, site: AddedSite): Promise<Site> {
  const { db, services, caller } = call;
  const { id, region, claim, link, content } = site;
  if (!(await holdRegion(db, region.id))) throw invalid(noSuchRegion);
  const team = await requireRoom(db, caller, input, site.storageBytes);
  await takeProvenName(call, input.fqdn, claim);

  const isTesting = isUnderSiteDomain(services.config, input.fqdn);
  const eventId = await recordSiteEvent(
    db,
    caller,
    { id, team_id: team.id, fqdn: input.fqdn },
    { event_type: 'site.created', activity: `${caller.fullName} ${site.activity} ${input.fqdn}`, unfinished: true },
  );
  const row = await insertNamedSite(db, {
    id,
    fqdn: input.fqdn,
    team_id: team.id,
    user_id: caller.userId,
    region_id: region.id,
    domain_option: isTesting ? 'platform' : 'custom',
    is_testing: isTesting,
    ...site.at,
    is_free: input.is_free ?? false,
    ...newPasswords(services),
  });
  if (!row) throw takenName(services, team.id, input.fqdn, claim);
  await hold(db, [id], 'creating', eventId);
  if (link) await linkSite(db, services, row, link);
  await requireFreeName(db, services, row.fqdn, team.id, claim);
  await services.jobs.enqueue(db, createSiteJob, { siteId: id, eventId, ...content }, id);
  call.headers['operation-id'] = eventId;
  return completeSite(db, services, caller, (await findSiteById(db, id)) as SiteRow);
}

/** Whether the team may have another site, of this size. Locks the team. */
export async function requireRoom(
  db: Db,
  caller: Caller,
  { team_id, is_free }: SitePlace,
  storageBytes?: number,
): Promise<TeamRow> {
  const team = await lockWorkingTeam(db, team_id);
  await recheckRights(db, caller, team_id);
  await requireSlot(db, team, is_free ?? false);
  await requireStorage(db, team, storageBytes);
  return team;
}
