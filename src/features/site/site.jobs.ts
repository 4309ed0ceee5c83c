import { hostForNew } from '#core/cluster.ts';
import { finishEvent, reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { startClock } from '#features/backup/backup.ts';
import { finishCreation } from '#features/git-sync/git-sync.ts';
import { type HeldWork, onHeldSite, release } from '#features/hold/hold.ts';
import {
  deleteSite,
  findOwn,
  findSiteById,
  isKeptDeleted,
  moveDatabase,
  nothing,
  type SiteRow,
  specOf,
  updateSite,
  withKeptVersion,
} from '#features/instance/instance.ts';
import { newDkimKeys } from '#features/site-mail/site-mail.ts';
import { dropName, isUnderSiteDomain, keepAsRedirect } from '#features/site-name/site-name.ts';
import { addStorage, lockTeam } from '#features/team/team.ts';
import type { TemplateContent } from '#features/template/template.ts';
import type { HostedSpec, Place, SiteHost, SiteOrigin } from '#host/site-host.ts';
import type { FirstContent } from '#runtimes/runtime.ts';

/** What a site is made of that the platform makes. */
interface NewContent {
  title: string;
  username: string;
  email: string;
  firstName: string;
  lastName: string;
  /** The hash that WordPress keeps, sealed with the platform's key, in base64. */
  passwordHashSealed: string;
  template?: TemplateContent;
}

/** What is made already, and waits for its row (site.import.ts). */
interface ImportedContent {
  imported: Versions;
}

interface Versions {
  coreVersion: string;
  phpVersion: string;
}

export type SiteContent = NewContent | ImportedContent;
type Creation = HeldWork & SiteContent;

export const createSiteJob = jobKind<Creation>({
  name: 'site.create',
  lane: 'site',
  async run(payload, { services, commit, signal }) {
    const { hosts, secrets } = services;
    const { siteId, eventId } = payload;
    const site = await findOwn(services, payload);
    if (!site) return commit(nothing);
    const isImported = 'imported' in payload;
    const making = isImported ? settle(services, site, payload.imported, signal) : make(services, site, payload);
    const [dkim, spec] = await Promise.all([newDkimKeys(), making]);
    // Whoever is told that the site is ready opens it in the next moment.
    await hosts.warmUp(spec);
    const storageBytes = await hosts.diskUsageBytes(site);
    await commit(async (tx) => {
      await lockTeam(tx, site.team_id);
      if (!(await release(tx, payload))) return;
      await updateSite(tx, siteId, {
        core_version: spec.coreVersion,
        php_version: spec.phpVersion,
        ...('title' in payload && { title: payload.title }),
        dkim_public_key: dkim.publicKey,
        dkim_private_key_sealed: secrets.seal(Buffer.from(dkim.privateKey)),
        storage_bytes: storageBytes,
        storage_measured_at: new Date(),
        // By then WordPress has told when its own work is due; this is for a site that nobody ever visits.
        next_cron_at: new Date(Date.now() + FIRST_CRON_MS),
      });
      await addStorage(tx, site.team_id, storageBytes);
      await startClock(tx, siteId, site.team_id);
      await finishCreation(tx, services, site, eventId, { url: spec.url, core_version: spec.coreVersion });
    });
  },
  async undo({ siteId, eventId }, { config, db, hosts }) {
    const site = await findSiteById(db, siteId);
    const isOurs = site ? site.busy_event_id === eventId : !(await isKeptDeleted(db, siteId));
    const { host, driver } = config.newSites;
    if (isOurs) await hosts.delete(site ?? { host: hostForNew(config.clusters, host, siteId), driver, id: siteId });
  },
  async abandon(tx, payload) {
    const { siteId, eventId } = payload;
    if (await release(tx, payload)) await deleteSite(tx, siteId);
    // What went wrong in detail is for the operator, who finds it with the failed job.
    await finishEvent(tx, eventId, { failure: 'WordPress could not be set up. Nothing is left of the attempt.' });
  },
});

async function make(services: Services, site: SiteRow, content: HeldWork & NewContent): Promise<HostedSpec> {
  const { hosts, secrets } = services;
  const { title, username, email, firstName, lastName, template } = content;
  const passwordHash = secrets.open(Buffer.from(content.passwordHashSealed, 'base64')).toString();
  const versions = await prepared(services, site, content.eventId);
  const made = withVersions(site, versions);
  // A template stays with the WordPress that it was made with, for as long as that is here.
  const core_version = template?.coreVersion ?? versions.coreVersion;
  const spec = specOf(services, template ? await withKeptVersion(services, { ...made, core_version }) : made);
  const first = { title, admin: { username, email, firstName, lastName, passwordHash } };
  await hosts.make(spec, originOf(template, first));
  return spec;
}

/** Its tables may be those of an older WordPress, which the newer one bears for as long as nobody needs what is new. */
async function settle(services: Services, site: SiteRow, versions: Versions, signal: AbortSignal): Promise<HostedSpec> {
  const made = withVersions(site, versions);
  await upgradeDatabase(services, made, signal, '--skip-plugins', '--skip-themes').catch((error) => {
    signal.throwIfAborted();
    services.log.warn({ err: error, siteId: site.id }, 'an imported site keeps its old tables');
  });
  return specOf(services, made);
}

const withVersions = (site: SiteRow, { coreVersion, phpVersion }: Versions): SiteRow => ({
  ...site,
  core_version: coreVersion,
  php_version: phpVersion,
});

function originOf(template: TemplateContent | undefined, first: FirstContent): SiteOrigin {
  if (!template) return { kind: 'image', first };
  const { space, site, moment, isShared, host: keptBy } = template;
  return { kind: 'cut', space, site, moment, isShared, keptBy, change: { people: 'first', first } };
}

const FIRST_CRON_MS = 3_600_000;
const SOON_MS = 300;

/** The first site on a new machine waits until WordPress has been fetched; whoever watches the event is told so. */
async function prepared({ hosts, db }: Services, at: Place, eventId: string): ReturnType<SiteHost['prepared']> {
  const ready = hosts.prepared(at);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), SOON_MS);
  });
  const first = await Promise.race([ready, late]).finally(() => clearTimeout(timer));
  if (first !== 'late') return first;
  await reportProgress(db, eventId, { step: 'preparing WordPress' });
  const versions = await ready;
  await reportProgress(db, eventId, { step: 'creating the site' });
  return versions;
}

interface Update extends HeldWork {
  newFqdn: string;
  /** It was one of the site's names before, and stays one whatever happens. */
  hasName?: boolean;
}

/** Another name. Visitors wait for the moment that it takes. */
export const updateSiteJob = jobKind<Update>({
  name: 'site.update',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { siteId, eventId, newFqdn } = payload;
    const site = await findOwn(services, payload);
    if (!site) return commit(nothing);
    await onHeldSite(services, payload, () => moveDatabase(services, site, newFqdn));
    await commit(async (tx) => {
      const isTesting = isUnderSiteDomain(services.config, newFqdn);
      if (!(await release(tx, payload))) return;
      await updateSite(tx, siteId, {
        fqdn: newFqdn,
        is_testing: isTesting,
        domain_option: isTesting ? 'platform' : 'custom',
        // They were the old name's; WordPress and a look at the new one's zone tell.
        favicon_url: null,
        is_ns_root: false,
        zone_looked_at: null,
      });
      await keepAsRedirect(tx, site.fqdn, siteId);
      await finishEvent(tx, eventId, { result: { fqdn: newFqdn, core_version: site.core_version } });
    });
  },
  async undo(payload, services) {
    const site = await findOwn(services, payload);
    if (site) await onHeldSite(services, payload, () => moveDatabase(services, site, site.fqdn));
  },
  async abandon(tx, payload, _error, undone) {
    const { siteId, eventId, newFqdn, hasName } = payload;
    if ((await release(tx, payload)) && !hasName) await dropName(tx, newFqdn, siteId);
    const now = undone ? 'the site is as it was before' : 'the site may not work as before, and the platform was told';
    await finishEvent(tx, eventId, { failure: `The change could not be made; ${now}.` });
  },
});

const UPGRADE = { timeoutMs: 300_000, maxOutputBytes: 65_536, asHolder: true };

/** WordPress' own tables follow its version. Going back leaves them as they are, which older versions bear. */
async function upgradeDatabase(
  services: Services,
  site: SiteRow,
  signal: AbortSignal,
  ...flags: string[]
): Promise<void> {
  const command = { args: ['wp', 'core', 'update-db', ...flags] as const, ...UPGRADE, signal };
  const { exitCode, stderr } = await services.hosts.exec(specOf(services, site), command);
  if (exitCode !== 0) throw new Error(`wp core update-db ended with ${exitCode}: ${stderr.slice(0, 1000)}`);
}
