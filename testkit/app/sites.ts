import { randomBytes, randomUUID } from 'node:crypto';
import { type HoldKind, hold, release } from '#features/hold/hold.ts';
import type { Site } from '#sdk';
import type { Person } from './people.ts';
import type { TestApp } from './test-app.ts';

/** The first administrator of every site that tests make. */
export const CMS = {
  cms_blog_name: 'A blog of the tests',
  cms_username: 'ada',
  cms_email: 'ada@example.com',
  cms_first_name: 'Ada',
  cms_last_name: 'Lovelace',
  cms_password: 'correct horse battery',
};

export const newFqdn = () => `s-${randomBytes(6).toString('hex')}.localhost`;

/** Creates a site as its owner would, and waits until it is there. */
export function newSite(
  person: Person,
  more: { fqdn?: string; team_id?: string; is_free?: boolean; git_url?: string; region_name?: string } = {},
): Promise<Site> {
  return person.api.createSite({ wait: 60, body: { ...CMS, fqdn: newFqdn(), team_id: person.teamId, ...more } });
}

/** A plan with room, as if it had been bought. */
export async function putOnPlan(app: TestApp, teamId: string, plan_type_name: string): Promise<void> {
  await app.services.db.updateTable('teams').set({ plan_type_name }).where('id', '=', teamId).execute();
}

/** A site that is only a row: what it takes to be counted. */
export async function insertSite(
  app: TestApp,
  person: Person,
  { is_free = false, fqdn = newFqdn() } = {},
): Promise<string> {
  const { config, db, secrets } = app.services;
  const sealed = secrets.seal(Buffer.from('x'));
  const region = await db.selectFrom('regions').select('id').executeTakeFirstOrThrow();
  const row = { team_id: person.teamId, user_id: person.userId, region_id: region.id, domain_option: 'custom' };
  const secret = { http_auth_password_sealed: sealed, code_server_password_sealed: sealed };
  const more = { fqdn, is_testing: false, is_free };
  const site = { ...row, ...secret, ...more, ...config.newSites };
  const { id } = await db.insertInto('sites').values(site).returning('id').executeTakeFirstOrThrow();
  await db.insertInto('site_names').values({ fqdn, site_id: id }).execute();
  return id;
}

/** A preview that is only a row, and open unless it `isEnded`. */
export async function insertPreview(
  app: Pick<TestApp, 'services'>,
  siteId: string,
  userId: string,
  { isEnded = false } = {},
): Promise<{ id: string; fqdn: string }> {
  const expires_at = new Date(Date.now() + (isEnded ? -1000 : 1_800_000));
  const preview = await insertCopy(app, siteId, userId, { kind: 'preview', expires_at });
  const own = { site_id: preview.id, commit_hash: '', restore_point: new Date(), ready_at: new Date(0) };
  await app.services.db.insertInto('site_previews').values(own).execute();
  return preview;
}

/** A stage that is only a row. */
export async function insertStage(
  app: Pick<TestApp, 'services'>,
  siteId: string,
  userId: string,
): Promise<{ id: string; fqdn: string }> {
  const stage = await insertCopy(app, siteId, userId, { kind: 'stage' });
  const [hash, point] = ['0'.repeat(64), new Date()];
  const { db } = app.services;
  await db.insertInto('site_stages').values({ site_id: stage.id }).execute();
  const bases = {
    live_hash: hash,
    live_point: point,
    live_fqdn: 'base.example.com',
    stage_hash: hash,
    stage_point: point,
  };
  await db
    .insertInto('stage_bases')
    .values({ stage_id: stage.id, ...bases })
    .execute();
  return stage;
}

async function insertCopy(
  { services: { db, secrets } }: Pick<TestApp, 'services'>,
  siteId: string,
  userId: string,
  own: { kind: 'stage' } | { kind: 'preview'; expires_at: Date },
): Promise<{ id: string; fqdn: string }> {
  const site = await db.selectFrom('sites').selectAll().where('id', '=', siteId).executeTakeFirstOrThrow();
  const sealed = secrets.seal(Buffer.from('x'));
  const { team_id, region_id, host, driver } = site;
  const copy = await db
    .insertInto('sites')
    .values({
      ...own,
      of_site_id: siteId,
      fqdn: `${own.kind}-${randomBytes(16).toString('hex')}.localhost`,
      team_id,
      region_id,
      host,
      driver,
      user_id: userId,
      domain_option: 'platform',
      is_testing: true,
      core_version: '7.1.1',
      php_version: '8.3',
      http_auth_password_sealed: sealed,
      code_server_password_sealed: sealed,
    })
    .returning(['id', 'fqdn'])
    .executeTakeFirstOrThrow();
  await db.insertInto('site_names').values({ fqdn: copy.fqdn, site_id: copy.id }).execute();
  return copy;
}

/** Takes a site as some work would; the returned function gives it back. */
export async function holdSite(
  { services }: Pick<TestApp, 'services'>,
  siteId: string,
  kind: HoldKind = 'updating',
  eventId: string = randomUUID(),
): Promise<() => Promise<void>> {
  await hold(services.db, [siteId], kind, eventId);
  return async () => void (await release(services.db, { siteId, eventId }));
}
