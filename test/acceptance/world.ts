import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Role } from '#core/auth/caller.ts';
import { hashPassword } from '#core/auth/password.ts';
import { hashToken, newToken } from '#core/auth/tokens.ts';
import { recordEvent } from '#core/events/events.ts';
import { createBlobUrls } from '#features/backup/blob.ts';
import { readOwn, setOwnCertificate } from '#features/certificate/certificate.ts';
import { moveToDeleted } from '#features/deleted-site/deleted-site.sql.ts';
import { findSiteById, type SiteRow, specOf } from '#features/instance/instance.ts';
import { newDelivery } from '#integrations/payments/built-in/events.ts';
import { listObjects, saveObject } from '#integrations/payments/built-in/objects.sql.ts';
import type { Price } from '#integrations/payments/built-in/stripe-objects.ts';
import { beginSubscription } from '#integrations/payments/built-in/subscriptions.ts';
import { markVerified } from '#testkit/app/people.ts';
import { insertPreview, insertStage } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { makeTinySite } from '#testkit/app/tiny-site.ts';
import { makePng } from '#testkit/browser/png.ts';
import { ownCertificate } from '#testkit/data/own-certificate.ts';
import { repositoryUrl } from './outside.ts';

/**
 * Everybody who could call: one of each role in the team Home, the owner of another team, people whose right has gone,
 * and the owner with narrower tokens. What an operation uses up (an invite, a member to remove) is made per call.
 */
export const CALLERS = [
  'nobody',
  'stranger',
  'viewer',
  'member',
  'admin',
  'owner',
  'removed',
  'expired',
  'writer',
  'reader',
  'planner',
  'operator',
  'unverified',
] as const;
export type CallerName = (typeof CALLERS)[number];

export const PASSWORD = 'a password of the tests';

export interface Person {
  id: string;
  email: string;
}

/** A team to do things in, with the person who owns it and one who once opened tickets there. */
export interface Place {
  teamId: string;
  owner: Person;
  opener: Person;
}

export interface World extends Makers {
  app: TestApp;
  home: Place;
  /** The stranger's own team, where the stranger may do everything. */
  elsewhere: Place;
  /** Where a caller's requests are made: in Home, and where nobody confirmed their address in a team of their own. */
  placeOf(caller: CallerName): Place;
  /** Whose account a caller uses; the owner's where there is none, so that the request is right in all but its sender. */
  person(caller: CallerName): Person;
  token(caller: CallerName): string | undefined;
}

type Makers = ReturnType<typeof createMakers>;

export async function createWorld(app: TestApp): Promise<World> {
  const make = createMakers(app, await hashPassword(PASSWORD));
  const [owner, admin, member, viewer, removed, stranger, unverified, operator] = await Promise.all([
    register(app, 'owner'),
    register(app, 'admin'),
    register(app, 'member'),
    register(app, 'viewer'),
    register(app, 'removed'),
    register(app, 'stranger'),
    register(app, 'unverified', { verified: false }),
    make.user({ isOperator: true }),
  ]);
  const home = { teamId: await teamOf(app, owner.token), owner, opener: removed };
  const elsewhere = { teamId: await teamOf(app, stranger.token), owner: stranger, opener: stranger };
  const unconfirmed = { teamId: await teamOf(app, unverified.token), owner: unverified, opener: unverified };
  for (const { teamId } of [home, elsewhere, unconfirmed])
    await app.services.db.updateTable('teams').set({ additional_sites: 1_000_000 }).where('id', '=', teamId).execute();
  await make.joins(home.teamId, admin, 'admin');
  await make.joins(home.teamId, member, 'member');
  await make.joins(home.teamId, viewer, 'viewer');
  await make.joins(home.teamId, removed, 'member');
  await request(app, 'DELETE', `/team/${home.teamId}/member/${removed.id}`, { token: owner.token });

  const tokens: Record<CallerName, string | undefined> = {
    nobody: undefined,
    stranger: stranger.token,
    viewer: viewer.token,
    member: member.token,
    admin: admin.token,
    owner: owner.token,
    removed: removed.token,
    expired: await make.credential(owner, { expiresAt: new Date(Date.now() - 1000) }),
    writer: await make.credential(owner, { kind: 'api_token' }),
    reader: await make.credential(owner, { kind: 'api_token', scopes: ['read'] }),
    planner: await make.credential(owner, { kind: 'api_token', scopes: ['plan'] }),
    operator: await make.credential(operator),
    unverified: unverified.token,
  };
  const accounts: Partial<Record<CallerName, Person>> = {
    stranger,
    viewer,
    member,
    admin,
    removed,
    operator,
    unverified,
  };
  return {
    ...make,
    app,
    home,
    elsewhere,
    placeOf: (caller) => (caller === 'unverified' ? unconfirmed : home),
    person: (caller) => accounts[caller] ?? owner,
    token: (caller) => tokens[caller],
  };
}

/** What one call needs and may use up, written straight into the database. */
function createMakers(app: TestApp, passwordHash: string) {
  const { db } = app.services;
  const unique = () => randomUUID().slice(0, 13);
  // As product code does after each change of rights: the announcement of the database can arrive after the next request.
  const forgetRights = (person: Person) => app.services.credentials.forget(person.id);
  const newestBackup = (siteId: string) =>
    db
      .selectFrom('backups')
      .selectAll()
      .where('site_id', '=', siteId)
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();

  const comparable = new Map<string, Promise<{ fqdn: string }>>();
  async function makeComparable(teamId: string, creator: Person): Promise<{ fqdn: string }> {
    const { id, fqdn } = await makers.keptSite(teamId, creator);
    const stage = await insertStage(app, id, creator.id);
    await makeTinySite(app.services, stage.id, `https://${stage.fqdn}`);
    const [live, copy] = [await newestBackup(id), await newestBackup(stage.id)];
    const bases = { live_hash: live.commit_hash, live_point: live.created_at, live_fqdn: fqdn };
    await db
      .updateTable('stage_bases')
      .set({ ...bases, stage_hash: copy.commit_hash, stage_point: copy.created_at })
      .where('stage_id', '=', stage.id)
      .execute();
    return { fqdn };
  }

  const terminals: (() => Promise<unknown>)[] = [];

  const makers = {
    async user({ isOperator = false } = {}): Promise<Person> {
      const email = `${unique()}@example.com`;
      const name = { first_name: 'Some', last_name: 'Body' };
      const user = { email, password_hash: passwordHash, ...name, is_verified: true, is_superuser: isOperator };
      return db.insertInto('users').values(user).returning(['id', 'email']).executeTakeFirstOrThrow();
    },

    async team(owner: Person): Promise<string> {
      const cycle = { cycle_start: new Date(), cycle_end: new Date(Date.now() + 1e9) };
      // Whether the plan has room is not what these tests are about.
      const team = {
        user_id: owner.id,
        name: 'A team',
        tenant_id: `x${unique()}`,
        additional_sites: 1_000_000,
        ...cycle,
      };
      const { id } = await db.insertInto('teams').values(team).returning('id').executeTakeFirstOrThrow();
      await makers.joins(id, owner, 'owner');
      return id;
    },

    async joins(teamId: string, person: Person, role: Role): Promise<string> {
      const row = { team_id: teamId, user_id: person.id, role };
      const { id } = await db.insertInto('team_members').values(row).returning('id').executeTakeFirstOrThrow();
      forgetRights(person);
      return id;
    },

    /** Somebody is in the team for this site, besides those that they are in it for already. */
    async isLimitedTo(teamId: string, person: Person, siteId: string, role: Role): Promise<void> {
      const member = { team_id: teamId, user_id: person.id };
      await db
        .insertInto('limited_members')
        .values(member)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await db
        .insertInto('site_roles')
        .values({ ...member, site_id: siteId, role })
        .execute();
      forgetRights(person);
    },

    /** A token of this person: a session unless it says otherwise. */
    async credential(
      person: Person,
      options: { kind?: string; scopes?: string[]; teamId?: string; expiresAt?: Date } = {},
    ): Promise<string> {
      const token = newToken();
      const { kind = 'session', scopes = ['read', 'write', 'plan'], teamId, expiresAt } = options;
      const row = { token_hash: hashToken(token), kind, scopes, user_id: person.id, name: 'made by a test' };
      const limits = { team_id: teamId ?? null, expires_at: expiresAt ?? null };
      await db
        .insertInto('credentials')
        .values({ ...row, ...limits })
        .execute();
      return token;
    },

    async apiTokenId(person: Person): Promise<string> {
      const hash = hashToken(await makers.credential(person, { kind: 'api_token' }));
      const row = db.selectFrom('credentials').select('id').where('token_hash', '=', hash);
      return (await row.executeTakeFirstOrThrow()).id;
    },

    async sshKeyId(person: Person): Promise<string> {
      const hash = hashToken(newToken());
      const key = { key_type: 'ssh-ed25519', key_hash: hash, token_hash: hash };
      const row = { kind: 'ssh_key', scopes: ['read', 'write'], user_id: person.id, name: 'laptop', ...key };
      return (await db.insertInto('credentials').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    async mailedLink(person: Person, purpose: 'verify_email' | 'password_reset'): Promise<string> {
      const row = { user_id: person.id, purpose, expires_at: new Date(Date.now() + 60_000) };
      const { id } = await db.insertInto('mailed_links').values(row).returning('id').executeTakeFirstOrThrow();
      return app.services.secrets.signId(purpose, id);
    },

    async invite(teamId: string, email = `${unique()}@example.com`): Promise<{ id: string; token: string }> {
      const row = { team_id: teamId, target_email: email, role: 'member', expiry: new Date(Date.now() + 60_000) };
      const { id } = await db.insertInto('team_invites').values(row).returning('id').executeTakeFirstOrThrow();
      return { id, token: app.services.secrets.signId('invite', id) };
    },

    async event(of: { teamId: string } | { person: Person }): Promise<string> {
      const [scope, whose] =
        'teamId' in of ? (['team', { team_id: of.teamId, by: null }] as const) : (['account', ofAccount(of)] as const);
      return recordEvent(db, { scope, event_type: 'team.updated', activity: 'Something happened', ...whose });
    },

    /** A site that is there and idle; nothing of it is on disk. */
    async site(teamId: string, creator: Person): Promise<{ id: string; fqdn: string }> {
      const sealed = app.services.secrets.seal(Buffer.from('a secret'));
      const region = await db.selectFrom('regions').select('id').orderBy('id').limit(1).executeTakeFirstOrThrow();
      const row = {
        team_id: teamId,
        user_id: creator.id,
        fqdn: `${unique()}.example.com`,
        region_id: region.id,
        domain_option: 'custom',
        is_testing: false,
        http_auth_password_sealed: sealed,
        code_server_password_sealed: sealed,
        code_server_enabled: true,
        core_version: '7.1.1',
        php_version: '8.3',
        ...app.services.config.newSites,
      };
      const site = await db.insertInto('sites').values(row).returning(['id', 'fqdn']).executeTakeFirstOrThrow();
      await db.insertInto('site_names').values({ fqdn: site.fqdn, site_id: site.id }).execute();
      return site;
    },

    async gitAccount(person: Person): Promise<string> {
      const secret_sealed = app.services.secrets.seal(Buffer.from('a key'));
      const row = { user_id: person.id, provider: 'ssh', base_url: `ssh://${unique()}.example.com`, secret_sealed };
      return (await db.insertInto('git_accounts').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    async removeGitAccounts(person: Person): Promise<void> {
      await db.deleteFrom('git_accounts').where('user_id', '=', person.id).execute();
    },

    async externalPath(siteId: string): Promise<string> {
      const row = { site_id: siteId, path: `/${unique()}`, external_name: 'https://shop.example.com/' };
      return (await db.insertInto('external_paths').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    /** A further name of a site, or its row where it has the name already. */
    async domain(siteId: string, fqdn = `${unique()}.localhost`): Promise<string> {
      const row = { fqdn, site_id: siteId };
      await db
        .insertInto('site_names')
        .values(row)
        .onConflict((known) => known.doNothing())
        .execute();
      return fqdn;
    },

    /** A team's own certificate of a name. */
    async ownCertificate(name: string): Promise<void> {
      const { chain, key } = ownCertificate(name);
      await setOwnCertificate(db, app.services, name, readOwn(name, { chain, key }));
    },

    /** A password for a host that answers (outside.ts); returns the host. */
    async applicationPassword(place: Place, fqdn?: string): Promise<string> {
      const { storefrontDomain } = app.services.config;
      const row = {
        team_id: place.teamId,
        user_id: place.owner.id,
        fqdn: fqdn ?? `${unique()}.${storefrontDomain}`,
        username: 'ada',
        password_sealed: app.services.secrets.seal(Buffer.from('a password')),
      };
      await db.insertInto('application_passwords').values(row).execute();
      return row.fqdn;
    },

    async shop(place: Place): Promise<string> {
      const [name = ''] = (await makers.applicationPassword(place)).split('.');
      return name;
    },

    /** A site with the least on disk that can be kept and brought back, and one backup of it. */
    async keptSite(teamId: string, creator: Person): Promise<{ id: string; fqdn: string }> {
      const { id, fqdn } = await makers.site(teamId, creator);
      await makeTinySite(app.services, id, `https://${fqdn}`);
      return { id, fqdn };
    },

    /** A terminal of somebody's at a site that is there. The oldest ones end, since a team can not have many. */
    async terminal(siteId: string, owner: Person): Promise<string> {
      if (terminals.length >= 20) await terminals.shift()?.();
      const site = (await findSiteById(db, siteId)) as SiteRow;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const session = randomUUID();
      const wish = { session, owner: owner.id, mayOpen: true, columns: 80, rows: 24, onOutput: async () => {} };
      app.services.hosts.terminal(specOf(app.services, site), { ...wish, onOpen: () => resolve() }).catch(reject);
      await promise;
      terminals.push(() => app.services.hosts.endTerminal(site, owner.id, session));
      return session;
    },

    /** The site, following a repository, and what a push to that is signed with. */
    async linkedSite<Of extends { id: string }>(site: Of): Promise<Of & { hookSecret: string }> {
      const { secrets, config } = app.services;
      const [git_url, hookSecret] = [repositoryUrl(config), randomUUID()];
      const hook_secret_sealed = secrets.seal(Buffer.from(hookSecret));
      const link = { site_id: site.id, git_url, uses_account: false, hook_secret_sealed };
      await db.insertInto('git_links').values(link).execute();
      await db.updateTable('sites').set({ git_url }).where('id', '=', site.id).execute();
      return { ...site, hookSecret };
    },

    /** One that was synced, with an account of somebody's. */
    async syncedSite(site: { id: string; fqdn: string }, person: Person): Promise<{ fqdn: string }> {
      const { id, fqdn } = await makers.linkedSite(site);
      const change = { account_id: await makers.gitAccount(person), uses_account: true };
      await db.updateTable('git_links').set(change).where('site_id', '=', id).execute();
      await db
        .updateTable('sites')
        .set({ git_last_sync_hash: 'a'.repeat(40) })
        .where('id', '=', id)
        .execute();
      return { fqdn };
    },

    async pitRestore(siteId: string): Promise<string> {
      const { commit_hash, created_at } = await newestBackup(siteId);
      const halves = { restore_db: true, restore_cms_content: true, delete_extra_files: false, is_dry_run: true };
      const points = { restore_point: created_at, backup_point: created_at, commit_hash };
      const row = { site_id: siteId, event_id: randomUUID(), ...points, ...halves };
      return (await db.insertInto('pit_restores').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    async restorePoint(site_id: string): Promise<string> {
      const { id, commit_hash, created_at } = await newestBackup(site_id);
      const { id: point } = await db
        .insertInto('restore_points')
        .values({ backup_id: id, commit_hash, restore_point: created_at, site_id, name: 'A name' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return point;
    },

    async breakSearch(siteId: string): Promise<string> {
      const { team_id, fqdn } = await db
        .selectFrom('sites')
        .select(['team_id', 'fqdn'])
        .where('id', '=', siteId)
        .executeTakeFirstOrThrow();
      const by = { scope: 'site', by: null, team_id, site_live_id: siteId, fqdn } as const;
      return recordEvent(db, { ...by, event_type: 'restore.searched', activity: 'searched', detail: { path: '/' } });
    },

    /** What a site runs, with an update that waits. */
    async software(siteId: string): Promise<void> {
      const shop = { kind: 'plugin', name: 'shop', title: 'Shop', version: '1.0', state: 'inactive', update: '2.0' };
      const found = JSON.stringify({ items: [shop], health: [], unreached: null });
      await db
        .insertInto('site_software')
        .values({ site_id: siteId, found, checked_at: new Date(), updates_waiting: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    /** A site that has a stage. */
    async stagedSite(teamId: string, creator: Person): Promise<{ fqdn: string }> {
      const site = await makers.site(teamId, creator);
      await insertStage(app, site.id, creator.id);
      return site;
    },
    /** The same, with the least on disk that can be compared. Nobody changes it, so one is enough for a team. */
    comparableSite(teamId: string, creator: Person): Promise<{ fqdn: string }> {
      const made = comparable.get(teamId) ?? makeComparable(teamId, creator);
      comparable.set(teamId, made);
      return made;
    },
    /** A template that sites can be told to be made from, and that nothing is behind. */
    async template({ teamId }: Place, { id: user_id }: Person, { isForAll = false } = {}): Promise<string> {
      const name = unique();
      const facts = { name, url: 'https://example.com/shop', description: 'A shop', tag: 'business' };
      const looks = { core_version: await picturedCore(app), picture: PICTURE };
      const row = {
        ...facts,
        ...looks,
        user_id,
        team_id: teamId,
        is_for_team: true,
        is_public: isForAll,
        approved: isForAll,
      };
      await db.insertInto('templates').values(row).execute();
      return name;
    },
    async preview(teamId: string, person: Person): Promise<string> {
      const { id } = await makers.site(teamId, person);
      return (await insertPreview(app, id, person.id)).id;
    },

    /** The end of an address that opens a file of a backup. */
    async blob(siteId: string): Promise<string> {
      const site = { ...app.services.config.newSites, id: siteId };
      const { urls } = await createBlobUrls(db, app.services, site, new Date(), { keys: ['index.php'] });
      return new URL(urls[0]?.url as string).searchParams.get('token') as string;
    },

    async deletedSite(teamId: string, creator: Person): Promise<string> {
      const { id } = await makers.site(teamId, creator);
      const site = await db.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      await moveToDeleted(db, site, { deletedBy: creator.id, eventId: randomUUID() });
      return id;
    },

    async siteView(teamId: string, { id }: Person): Promise<string> {
      const row = { team_id: teamId, user_id: id, name: unique() };
      return (await db.insertInto('site_views').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    async ticket(teamId: string, opener: Person): Promise<string> {
      const text = { subject: 'It is broken', description: 'Please help' };
      const row = { team_id: teamId, user_id: opener.id, ...text, messages_remaining: 10 };
      return (await db.insertInto('tickets').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    /** To delete the staging site of a site that is not there, so that confirming it does nothing to anybody. */
    async proposal(teamId: string, asker: Person): Promise<string> {
      const input = { params: { fqdn: `${unique()}.example.com` } };
      const input_sealed = app.services.secrets.seal(Buffer.from(JSON.stringify(input)));
      const call = { operation: 'deleteStage', input_sealed, description: 'Delete the staging site.' };
      const row = {
        user_id: asker.id,
        team_id: teamId,
        ...call,
        source: 'api',
        expires_at: new Date(Date.now() + 60_000),
      };
      return (await db.insertInto('proposals').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    /** Without a ticket it is an upload that nobody has named yet. */
    async attachment(uploader: Person, ticketId: string | null): Promise<string> {
      const file = { name: 'log.txt', content_type: 'text/plain', size_bytes: 3, content: Buffer.from('log') };
      const row = { user_id: uploader.id, ticket_id: ticketId, ...file };
      return (await db.insertInto('attachments').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    async oauthClient(redirectUri: string): Promise<string> {
      const row = { name: 'A program', redirect_uris: [redirectUri] };
      return (await db.insertInto('oauth_clients').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    /** A program that somebody let in, and what it refreshes its token with. */
    async oauthGrant(person: Pick<Person, 'id'>) {
      const client_id = await makers.oauthClient('https://program.example/callback');
      const refresh_token = newToken();
      const soon = new Date(Date.now() + 3_600_000);
      const grant = { kind: 'oauth', user_id: person.id, scopes: ['read'], resource: 'mcp', name: 'A program' };
      const lasts = { expires_at: soon, token_expires_at: soon };
      const { id } = await db
        .insertInto('credentials')
        .values({ ...grant, ...lasts, oauth_client_id: client_id, token_hash: hashToken(newToken()) })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db
        .insertInto('oauth_refresh_tokens')
        .values({ token_hash: hashToken(refresh_token), credential_id: id })
        .execute();
      return { id, refresh: { client_id, refresh_token } };
    },

    /** A code that the metrics dashboard may exchange for a token of somebody new. */
    /** Those of a program that signs in, confirmed where somebody is named. */
    async deviceCodes(confirmedBy?: Person): Promise<{ device_code: string; user_code: string }> {
      const send = async (path: string, body: object, token?: string) => {
        const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
        return (await fetch(`${app.api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      };
      const codes = (await send('/device_sign_in', {})) as { device_code: string; user_code: string };
      if (confirmedBy) {
        const token = await makers.credential(confirmedBy);
        await send('/device_sign_in/confirm', { user_code: codes.user_code, scopes: ['read'] }, token);
      }
      return codes;
    },

    async metricsCode(): Promise<string> {
      const person = await makers.user();
      const hash = hashToken(await makers.credential(person));
      const session = db.selectFrom('credentials').select('id').where('token_hash', '=', hash);
      const code = newToken();
      const bound = { session_id: (await session.executeTakeFirstOrThrow()).id, user_id: person.id };
      const row = { code_hash: hashToken(code), ...bound, client_id: 'grafana', redirect_uri: METRICS_REDIRECT_URI };
      await db
        .insertInto('authorization_codes')
        .values({ ...row, expires_at: new Date(Date.now() + 60_000) })
        .execute();
      return code;
    },

    /** At an address that nobody may call, for events that nobody makes. */
    async webhook(teamId: string, person: Person): Promise<string> {
      const row = { team_id: teamId, user_id: person.id, url: 'https://127.0.0.1:1/', event_types: ['git.synced'] };
      const { id } = await db.insertInto('webhooks').values(row).returning('id').executeTakeFirstOrThrow();
      const secret_sealed = app.services.secrets.seal(Buffer.from(`whsec_${Buffer.from(id).toString('base64')}`));
      await db.insertInto('webhook_secrets').values({ webhook_id: id, secret_sealed }).execute();
      return id;
    },

    async noWebhooks(teamId: string): Promise<void> {
      await db.deleteFrom('webhooks').where('team_id', '=', teamId).execute();
    },

    async webhookDelivery(webhookId: string): Promise<string> {
      const { team_id } = await db
        .selectFrom('webhooks')
        .select('team_id')
        .where('id', '=', webhookId)
        .executeTakeFirstOrThrow();
      const eventId = await makers.event({ teamId: team_id });
      const event = await db.selectFrom('events').selectAll().where('id', '=', eventId).executeTakeFirstOrThrow();
      const { seq: _seq, xid: _xid, position: _position, ...kept } = event;
      const row = {
        webhook_id: webhookId,
        event_id: eventId,
        event_type: event.event_type,
        event: JSON.stringify(kept),
      };
      const ended = { state: 'failed', due_at: null };
      return (
        await db
          .insertInto('webhook_deliveries')
          .values({ ...row, ...ended })
          .returning('id')
          .executeTakeFirstOrThrow()
      ).id;
    },

    /** A test checkout that this person has begun. */
    async checkout(person: Person): Promise<{ sessionId: string; checkoutId: string }> {
      const body = { new_team_name: `Team ${unique()}`, plan_name: 'micro' };
      const token = await makers.credential(person);
      const { url } = (await request(app, 'POST', '/create_checkout_session', { token, body })).json;
      const sessionId = url.split('/').at(-1);
      const row = db.selectFrom('checkouts').select('id').where('session_id', '=', sessionId);
      return { sessionId, checkoutId: (await row.executeTakeFirstOrThrow()).id };
    },

    /** Another team of the same owner, with everybody in it who is in Home. */
    async sameTeam({ teamId, owner }: Place): Promise<string> {
      const same = await makers.team(owner);
      const others = db
        .selectFrom('team_members')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('role', '<>', 'owner');
      for (const { user_id, role } of await others.execute())
        await makers.joins(same, { id: user_id, email: '' }, role as Role);
      return same;
    },

    /** As far as its row tells. */
    async becomesPaid(teamId: string): Promise<void> {
      await db.updateTable('teams').set({ plan_type_name: 'micro' }).where('id', '=', teamId).execute();
    },

    /** A team that is paid for, with everybody in it who is in Home. */
    async paidTeam(place: Place): Promise<string> {
      const paid = await makers.sameTeam(place);
      const { owner } = place;
      const token = await makers.credential(owner);
      const body = { for_team_id: paid, plan_name: 'micro' };
      const { url } = (await request(app, 'POST', '/create_checkout_session', { token, body })).json;
      const pay = `/test_checkout/${url.split('/').at(-1)}`;
      await request(app, 'POST', pay, { token, body: { outcome: 'paid' } });
      await request(app, 'POST', '/billing/sync', { token });
      return paid;
    },

    /** A test portal of this person, and a subscription in it that is no team's, so that nothing goes on in the background. */
    async portal(person: Person): Promise<{ sessionId: string; subscriptionId: string }> {
      const token = await makers.credential(person);
      const { url } = (await request(app, 'POST', '/create_portal_session', { token })).json;
      const own = db.selectFrom('payment_customers').select('customer_id').where('user_id', '=', person.id);
      const { customer_id: customer } = await own.executeTakeFirstOrThrow();
      const prices = await listObjects<Price>(db, 'price');
      const price = prices.find(({ lookup_key }) => lookup_key === 'siteyard_micro_month') as Price;
      const subscription = beginSubscription({ customer, price, metadata: {} }, Math.floor(Date.now() / 1000));
      await saveObject(db, subscription);
      return { sessionId: url.split('/').at(-1), subscriptionId: subscription.id };
    },

    /** What the payment provider would send, signed by it. */
    paymentEvent(): { body: Buffer; headers: Record<string, string> } {
      const secret = app.services.secrets.derive('test payment events');
      const seconds = Math.floor(Date.now() / 1000);
      const { body, signature } = newDelivery('customer.updated', { id: 'cus_x', object: 'customer' }, seconds, secret);
      return { body: Buffer.from(body), headers: { 'stripe-signature': signature } };
    },

    async region(): Promise<number> {
      const row = { ...REGION, name: `r-${unique()}` };
      return (await db.insertInto('regions').values(row).returning('id').executeTakeFirstOrThrow()).id;
    },

    async failedJob(): Promise<string> {
      const id = randomUUID();
      const job = { id, queue: 'background', kind: 'housekeeping', payload: '{}', error: 'It failed' };
      await db.insertInto('failed_jobs').values(job).execute();
      return id;
    },
  };
  return makers;
}

const ofAccount = ({ person }: { person: Person }) => ({ by: { userId: person.id } });

/** Where the metrics dashboard of every test app would be. */
export const METRICS_REDIRECT_URI = 'http://grafana.example/login/generic_oauth';

export const REGION = {
  city: 'Bern',
  country: 'Switzerland',
  country_code: 'CH',
  cname: 'bern.example.com',
  ip: '192.0.2.7',
};

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  json: any;
}

export interface RequestOptions {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends one request. A body that is text or bytes goes out as it is, anything else as JSON. */
export async function request(
  app: Pick<TestApp, 'api'>,
  method: string,
  path: string,
  { token, body, headers = {} }: RequestOptions = {},
): Promise<Answer> {
  const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  const abort = new AbortController();
  const response = await fetch(app.api + path, {
    method,
    signal: abort.signal,
    redirect: 'manual',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  // A stream of events never ends by itself; that it began is the answer.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = isStream ? '' : await response.text();
  if (isStream) abort.abort();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

async function register(app: TestApp, name: string, { verified = true } = {}): Promise<Person & { token: string }> {
  // A walk has its own people, whoever else uses the same app.
  const email = `${name}-${randomUUID()}@example.com`;
  const body = { email, password: PASSWORD, first_name: name, last_name: 'Tester' };
  const registered = await request(app, 'POST', '/register', { body });
  if (registered.status !== 200) throw new Error(`could not register ${name}: ${registered.text}`);
  if (verified) await markVerified(app, email);
  return { ...(await signIn(app, email, PASSWORD)), email };
}

async function signIn(app: TestApp, email: string, password: string): Promise<{ id: string; token: string }> {
  const signedIn = await request(app, 'POST', '/token', { body: { username: email, password } });
  const token: string = signedIn.json.access_token;
  const me = await request(app, 'GET', '/me', { token });
  return { id: me.json.id, token };
}

async function teamOf(app: TestApp, token: string): Promise<string> {
  return (await request(app, 'GET', '/team', { token })).json.results[0].id;
}

const PICTURE = 'themes/plain/screenshot.png';

/** A version of WordPress whose theme has a picture. */
async function picturedCore({ runtime }: TestApp): Promise<string> {
  const [version = ''] = await runtime.coreVersions();
  const file = join(runtime.coreFolder(version), 'wp-content', PICTURE);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, makePng(4));
  return version;
}
