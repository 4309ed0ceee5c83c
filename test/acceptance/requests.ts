import { randomBytes, randomUUID } from 'node:crypto';
import type { Operation } from '#core/http/operation.ts';
import { metricsClientSecret } from '#features/metrics-sign-in/metrics-sign-in.client.ts';
import { newSshKey } from '#integrations/git/ssh-key.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { dumpOf } from '#testkit/archives/dump.ts';
import { zip } from '#testkit/archives/pack.ts';
import { ownCertificate } from '#testkit/data/own-certificate.ts';
import {
  emailChangeOf,
  emailOf,
  madePasskey,
  noTotp,
  passkeyOf,
  passkeySignIn,
  secondStep,
  sessionOf,
  totpOf,
  unsubscribeQuery,
} from './factors.ts';
import { repositoryUrl } from './outside.ts';
import {
  type Answer,
  type CallerName,
  METRICS_REDIRECT_URI,
  PASSWORD,
  type Place,
  REGION,
  type RequestOptions,
  request,
  type World,
} from './world.ts';

/**
 * A valid request for every operation, made fresh for each call: whoever may call gets a success, and nothing but the
 * caller's rights can be the reason for a refusal. A row `operation/variant` is the same operation on something else.
 */
export interface Ingredients {
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: Record<string, unknown> | Buffer | undefined;
  /** Besides the usual; the body is JSON unless they say otherwise. */
  headers?: Record<string, string>;
  /** Used instead of the caller's own token, where the call would use that up. */
  token?: string;
}

export interface Setting {
  world: World;
  caller: CallerName;
  place: Place;
}

export type Make = (setting: Setting) => Ingredients | Promise<Ingredients>;

const nothing: Make = () => ({});
const inTeam: Make = ({ place }) => ({ params: { team_id: place.teamId } });
const onTicket = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => ({
    params: { ticket_id: await world.ticket(place.teamId, place.opener) },
    ...more,
  });
};
const onSite = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => ({ params: { fqdn: await siteIn(world, place) }, ...more });
};
const siteIn = async (world: World, place: Place) => (await world.site(place.teamId, place.opener)).fqdn;
const onExternalPath = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => {
    const { id, fqdn } = await world.site(place.teamId, place.opener);
    return { params: { fqdn, external_path_id: await world.externalPath(id) }, ...more };
  };
};
const onDomain = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => {
    const { id, fqdn } = await world.site(place.teamId, place.opener);
    return { params: { fqdn, domain: await world.domain(id) }, ...more };
  };
};
const onProposal: Make = async ({ world, place }) => ({
  params: { proposal_id: await world.proposal(place.teamId, place.owner) },
});
const onKeptSite = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => {
    const { fqdn } = await world.keptSite(place.teamId, place.opener);
    return { params: { fqdn }, ...more, ...(more.body && { body: { restore_point: now(), ...more.body } }) };
  };
};
/** A site that has said what it runs. */
const SHOP = { kind: 'plugin', name: 'shop' };
const onSoftware = (more: Ingredients, which = {}): Make => {
  return async ({ world, place }) => {
    const { id, fqdn } = await world.keptSite(place.teamId, place.opener);
    await world.software(id);
    return { params: { fqdn, ...which }, ...more };
  };
};
/** A site with a file. */
const onFiles = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => ({
    params: { fqdn: (await world.keptSite(place.teamId, place.opener)).fqdn },
    ...more,
  });
};
const onStagedSite: Make = async ({ world, place }) => ({
  params: { fqdn: (await world.stagedSite(place.teamId, place.opener)).fqdn },
});
const onTemplate = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => ({
    params: { template_name: await world.template(place, place.opener) },
    ...more,
  });
};
const onWebhook = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => ({ params: await webhookIn(world, place), ...more });
};
const onSyncedSite = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => {
    const { fqdn } = await world.syncedSite(await world.keptSite(place.teamId, place.opener), place.owner);
    return { params: { fqdn }, ...more };
  };
};
const terminalOf = async ({ world, caller, place }: Setting) => {
  const { id, fqdn } = await world.keptSite(place.teamId, place.opener);
  return { fqdn, session_id: await world.terminal(id, world.person(caller)) };
};
const webhookIn = async (world: World, place: Place) => ({
  team_id: place.teamId,
  webhook_id: await world.webhook(place.teamId, place.owner),
});
const onDelivery: Make = async ({ world, place }) => {
  const params = await webhookIn(world, place);
  return { params: { ...params, delivery_id: await world.webhookDelivery(params.webhook_id) } };
};
const SITE_ARCHIVE = zip([{ name: 'content/a.txt' }, { name: 'database.sql', data: dumpOf() }]);
const now = () => new Date().toISOString();
const newName = () => `n-${randomBytes(6).toString('hex')}`;

const onPassword = (more: Ingredients = {}): Make => {
  return async ({ world, place }) => ({ params: { fqdn: await world.applicationPassword(place) }, ...more });
};
/** The same, and which team's. */
const ofTheTeam = (make: Make): Make => {
  return async (setting) => ({ ...(await make(setting)), query: { team_id: setting.place.teamId } });
};
const throughCms = (more: (place: Place) => object): Make => {
  return async ({ world, place }) => ({ body: { fqdn: await world.applicationPassword(place), ...more(place) } });
};
const throughStorefront = (more: (place: Place) => object): Make => {
  return async ({ world, place }) => ({ body: { shop_name: await world.shop(place), ...more(place) } });
};
const throughAnalytics = (method: string): Make => {
  return async ({ world, place }) => ({ body: { path: `/api/v1/sites/${await siteIn(world, place)}`, method } });
};
const XML = { body: Buffer.from('<methodCall/>'), headers: { 'content-type': 'text/xml' } };

const OAUTH_REDIRECT = 'https://program.example/callback';
/** What a program would lead somebody to us with. */
const asked = async (world: World) => ({
  client_id: await world.oauthClient(OAUTH_REDIRECT),
  redirect_uri: OAUTH_REDIRECT,
  response_type: 'code',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
});

/** What ends accounts or sessions is asked for by nobody who is needed afterwards; whoever is refused may be themselves. */
const bySomebodyElse = async (world: World, caller: CallerName): Promise<{ token?: string }> =>
  ['nobody', 'expired', 'writer', 'reader', 'planner'].includes(caller)
    ? {}
    : { token: await world.credential(await world.user()) };

export const requests: Record<string, Make> = {
  signIn: async ({ world }) => ({ body: { username: (await world.user()).email, password: PASSWORD } }),
  passSecondStep: async ({ world }) => ({ body: await secondStep(world) }),
  beginPasskeySignIn: nothing,
  signInWithPasskey: async ({ world }) => ({ body: await passkeySignIn(world) }),
  listSessions: nothing,
  deleteSession: async ({ world, caller }) => ({
    params: { session_id: await sessionOf(world, world.person(caller)) },
  }),
  deleteOtherSessions: ({ world, caller }) => bySomebodyElse(world, caller),
  signOut: async ({ world, caller }) =>
    world.token(caller) === undefined ? {} : { token: await world.credential(world.person(caller)) },
  introspectToken: nothing,
  listApiTokens: nothing,
  createApiToken: () => ({ body: { name: 'ci', scopes: ['read'] } }),
  'createApiToken/for the team alone': ({ place }) => ({
    body: { name: 'ci', scopes: ['read'], team_id: place.teamId },
  }),
  deleteApiToken: async ({ world, caller }) => ({
    params: { api_token_id: await world.apiTokenId(world.person(caller)) },
  }),
  beginDeviceSignIn: () => ({ body: { client_name: 'a program' } }),
  inspectDeviceSignIn: async ({ world }) => ({ body: { user_code: (await world.deviceCodes()).user_code } }),
  confirmDeviceSignIn: async ({ world }) => ({
    body: { user_code: (await world.deviceCodes()).user_code, scopes: ['read'] },
  }),
  'confirmDeviceSignIn/for the team': async ({ world, place }) => ({
    body: { user_code: (await world.deviceCodes()).user_code, scopes: ['read'], team_id: place.teamId },
  }),
  refuseDeviceSignIn: async ({ world }) => ({ body: { user_code: (await world.deviceCodes()).user_code } }),
  exchangeDeviceCode: async ({ world }) => ({
    body: { device_code: (await world.deviceCodes(await world.user())).device_code },
  }),
  registerOAuthClient: () => ({ body: { client_name: 'A program', redirect_uris: [OAUTH_REDIRECT] } }),
  getAuthorization: async ({ world }) => ({ query: await asked(world) }),
  decideAuthorization: async ({ world }) => ({ body: { ...(await asked(world)), decision: 'allow', access: 'read' } }),
  'decideAuthorization/for the team': async ({ world, place }) => ({
    body: { ...(await asked(world)), decision: 'allow', access: 'read', team_id: place.teamId },
  }),
  exchangeOAuthToken: async ({ world }) => ({
    body: { grant_type: 'refresh_token', ...(await world.oauthGrant(await world.user())).refresh },
  }),
  revokeOAuthToken: async ({ world }) => ({
    body: { token: (await world.oauthGrant(await world.user())).refresh.refresh_token },
  }),
  listOAuthGrants: nothing,
  deleteOAuthGrant: async ({ world, caller }) => ({
    params: { oauth_grant_id: (await world.oauthGrant(world.person(caller))).id },
  }),
  listSshKeys: nothing,
  getSshServer: nothing,
  createSshKey: () => ({ body: { name: 'laptop', public_key: newSshKey('ada@laptop').publicKey } }),
  deleteSshKey: async ({ world, caller }) => ({
    params: { ssh_key_id: await world.sshKeyId(world.person(caller)) },
  }),

  register: () => ({
    body: { email: `${newName()}@example.com`, password: PASSWORD, first_name: 'New', last_name: 'Comer' },
  }),
  verifyEmail: () => ({ body: {} }),
  'verifyEmail/link': async ({ world }) => ({
    body: { token: await world.mailedLink(await world.user(), 'verify_email') },
  }),
  resetPassword: ({ world }) => ({ body: { email: world.person('owner').email } }),
  'resetPassword/link': async ({ world }) => ({
    body: { token: await world.mailedLink(await world.user(), 'password_reset'), password: PASSWORD },
  }),
  getMe: nothing,
  getMyAddress: nothing,
  updateMe: () => ({ body: { first_name: 'Renamed' } }),
  getSecondFactor: nothing,
  beginTotp: async ({ world, caller }) => {
    await noTotp(world, world.person(caller));
    return { body: { current_password: PASSWORD } };
  },
  confirmTotp: async ({ world, caller }) => ({
    body: { code: await totpOf(world, world.person(caller), { confirmed: false }) },
  }),
  removeTotp: async ({ world, caller }) => {
    await totpOf(world, world.person(caller), { confirmed: true });
    return { body: { current_password: PASSWORD } };
  },
  beginPasskey: () => ({ body: { current_password: PASSWORD } }),
  createPasskey: async ({ world, caller }) => ({ body: await madePasskey(world, world.person(caller)) }),
  removePasskey: async ({ world, caller }) => ({
    params: { passkey_id: (await passkeyOf(world, world.person(caller))).id },
    body: { current_password: PASSWORD },
  }),
  createRecoveryCodes: async ({ world, caller }) => {
    await passkeyOf(world, world.person(caller));
    return { body: { current_password: PASSWORD } };
  },
  resetSecondFactor: async ({ world }) => {
    const person = await world.user();
    await passkeyOf(world, person);
    return { params: { user_id: person.id } };
  },
  changeEmail: () => ({
    body: { email: `${newName()}@example.com`, current_password: PASSWORD },
  }),
  confirmEmail: async ({ world, caller }) => {
    // It confirms the address too, and this one is needed without.
    const person = caller === 'unverified' ? await world.user() : world.person(caller);
    return {
      body: { token: await emailChangeOf(world, person, { confirmed: false }) },
      ...(caller === 'unverified' && { token: await world.credential(person) }),
    };
  },
  takeEmailBack: async ({ world }) => ({
    body: { token: await emailChangeOf(world, await world.user(), { confirmed: true }) },
  }),
  getNotifications: nothing,
  updateNotifications: () => ({ body: { usage: true } }),
  unsubscribe: async ({ world }) => ({ query: unsubscribeQuery(world, await world.user()), body: {} }),
  openUnsubscribe: async ({ world }) => ({ query: unsubscribeQuery(world, await world.user()) }),

  deleteAccount: async ({ world, caller }) => ({
    body: { password: PASSWORD },
    ...(await bySomebodyElse(world, caller)),
  }),
  listTeams: nothing,
  getTeam: inTeam,
  updateTeam: ({ place }) => ({ params: { team_id: place.teamId }, body: { timezone: 'Europe/Zurich' } }),
  getTeamAttention: inTeam,
  listTeamEvents: inTeam,
  listMembers: inTeam,
  getMember: async ({ world, place }) => ({
    params: { team_id: place.teamId, team_member_id: await world.joins(place.teamId, await world.user(), 'viewer') },
  }),
  updateMember: async ({ world, place }) => ({
    params: { team_id: place.teamId, team_member_id: await world.joins(place.teamId, await world.user(), 'viewer') },
    body: { role: 'member' },
  }),
  removeMember: async ({ world, place }) => {
    const victim = await world.user();
    await world.joins(place.teamId, victim, 'viewer');
    return { params: { team_id: place.teamId, team_member_user_id: victim.id } };
  },
  'removeMember/self': async ({ world, caller, place }) => {
    const params = { team_id: place.teamId, team_member_user_id: world.person(caller).id };
    if (caller !== 'viewer' && caller !== 'member' && caller !== 'admin') return { params };
    // They are needed in the team afterwards, so somebody of the same role leaves.
    const leaver = await world.user();
    await world.joins(place.teamId, leaver, caller);
    return { params: { ...params, team_member_user_id: leaver.id }, token: await world.credential(leaver) };
  },
  listAllTeams: async ({ world }) => ({ query: { user_id: (await world.user()).id } }),
  setTeamPlan: async ({ world, place }) => ({
    params: { team_id: await world.team(place.owner) },
    body: { plan_name: 'starter' },
  }),
  suspendTeam: async ({ world, place }) => ({
    params: { team_id: await world.team(place.owner) },
    body: { is_active: false },
  }),

  listAllUsers: nothing,
  getPlatformOverview: nothing,
  listAnyEvents: ({ place }) => ({ query: { team_id: place.teamId } }),
  'listAnyEvents/of a person': async ({ world }) => ({ query: { user_id: (await world.user()).id } }),
  'listAnyEvents/of a site': async ({ world, place }) => ({
    query: { site_id: (await world.site(place.teamId, place.opener)).id },
  }),
  getAnyUser: async ({ world }) => ({ params: { user_id: (await world.user()).id } }),
  getAnyTeam: inTeam,
  listAnyMembers: inTeam,
  listAllSites: ({ place }) => ({ query: { team_id: place.teamId } }),
  getAnySite: async ({ world, place }) => ({
    params: { site_id: (await world.site(place.teamId, place.opener)).id },
  }),
  viewAsUser: async ({ world }) => ({ params: { user_id: (await world.user()).id }, body: { reason: 'Ticket 12' } }),
  listAccountViews: async ({ world }) => ({ params: { user_id: (await world.user()).id } }),
  endView: nothing,
  blockUser: async ({ world }) => ({ params: { user_id: (await world.user()).id }, body: { is_active: false } }),

  transferTeam: async ({ world, place }) => {
    const next = await world.user();
    const team_id = await world.sameTeam(place);
    await world.becomesPaid(team_id);
    await world.joins(team_id, next, 'member');
    return { params: { team_id }, body: { user_id: next.id, password: PASSWORD } };
  },
  deleteTeam: async ({ world, place }) => ({
    params: { team_id: await world.sameTeam(place) },
    body: { password: PASSWORD },
  }),
  listPeople: inTeam,
  listInvites: inTeam,
  createInvite: ({ place }) => ({
    params: { team_id: place.teamId },
    body: { target_email: `${newName()}@example.com`, first_name: 'New', message: 'Join us' },
  }),
  updateInvite: async ({ world, place }) => ({
    params: { team_id: place.teamId, team_member_invite_id: (await world.invite(place.teamId)).id },
    body: { role: 'viewer' },
  }),
  deleteInvite: async ({ world, place }) => ({
    params: { team_id: place.teamId, team_member_invite_id: (await world.invite(place.teamId)).id },
  }),
  getInvite: async ({ world, place }) => ({ params: { invite_id: (await world.invite(place.teamId)).id } }),
  inspectInvite: async ({ world, place }) => ({ body: { token: (await world.invite(place.teamId)).token } }),
  acceptInvite: async ({ world, caller }) => {
    const team = await world.team(await world.user());
    return { body: { token: (await world.invite(team, await emailOf(world, world.person(caller)))).token } };
  },
  'acceptInvite/of somebody else': async ({ world, place }) => ({
    body: { token: (await world.invite(place.teamId)).token },
  }),

  listEvents: nothing,
  streamEvents: nothing,
  getEvent: async ({ world, place }) => ({ params: { event_id: await world.event({ teamId: place.teamId }) } }),
  'getEvent/of the account': async ({ world, place }) => ({
    params: { event_id: await world.event({ person: place.owner }) },
  }),
  readEvents: async ({ world, place }) => ({ body: { event_id: await world.event({ teamId: place.teamId }) } }),

  listSites: nothing,
  'listSites/of the team': ({ place }) => ({ query: { team_id: place.teamId } }),
  listSiteLabels: inTeam,
  labelSites: async ({ world, place }) => ({
    params: { team_id: place.teamId },
    body: { fqdns: [await siteIn(world, place)], add: ['client'], remove: ['draft'] },
  }),
  listSiteViews: inTeam,
  saveSiteView: ({ place }) => ({
    params: { team_id: place.teamId },
    body: { name: newName(), search: 'shop', label: 'client', state: 'asleep', sort: 'visits', layout: 'table' },
  }),
  deleteSiteView: async ({ world, caller, place }) => ({
    params: { team_id: place.teamId, site_view_id: await world.siteView(place.teamId, world.person(caller)) },
  }),
  createSite: ({ place }) => ({ body: { ...SITE, fqdn: `${newName()}.localhost`, team_id: place.teamId } }),
  'createSite/with a repository': ({ world, place }) => ({
    body: {
      ...SITE,
      fqdn: `${newName()}.localhost`,
      team_id: place.teamId,
      git_url: repositoryUrl(world.app.services.config),
    },
  }),
  importSite: ({ place }) => ({
    query: { fqdn: `${newName()}.localhost`, team_id: place.teamId },
    body: SITE_ARCHIVE,
  }),
  getSite: onSite(),
  updateSite: onSite({ body: { http_auth_enabled: true } }),
  'updateSite/to another team': async ({ world, caller, place }) => ({
    params: { fqdn: await siteIn(world, place) },
    body: { team_id: await world.team(world.person(caller)) },
  }),
  deleteSite: onSite(),
  'deleteSite/created by the caller': async ({ world, caller, place }) => ({
    params: { fqdn: (await world.site(place.teamId, world.person(caller))).fqdn },
  }),
  sleepSite: onSite(),
  wakeSite: onSite(),
  clearSiteCache: onSite(),
  moveSite: onSite({ body: { database: 'sqlite' } }),
  listSiteEvents: onSite(),
  getSiteCdn: onSite(),
  getSiteUsage: onSite(),
  createSiteLogin: onSite(),
  createCodeServerLogin: onSite(),
  createTerminal: onSite({ body: {} }),
  listTerminals: onSite(),
  'createTerminal/taken up again': async (setting) => {
    const { fqdn, session_id } = await terminalOf(setting);
    return { params: { fqdn }, body: { session_id } };
  },
  endTerminal: async (setting) => ({ params: await terminalOf(setting) }),
  // Nobody is let in without asking for a socket.
  connectTerminal: onSite({ query: { ticket: 'some ticket' } }),
  getShellHtml: onSite(),
  listSiteLog: onSite(),
  listSiteErrors: onSite(),
  getSitePicture: onSite(),
  streamSiteLog: onSite(),
  diagnoseSite: onSite(),
  runSiteCommand: onSite({ body: { cmd: 'true' } }),
  getSoftware: onSite(),
  checkSoftware: onFiles(),
  updateSoftware: onSoftware({ body: { plugins: ['shop'] } }),
  installExtension: onSoftware({ body: { kind: 'plugin', name: 'forms' } }),
  switchExtension: onSoftware({ body: { active: true } }, SHOP),
  deleteExtension: onSoftware({}, SHOP),
  listExternalPaths: onSite(),
  createExternalPath: onSite({ body: { path: '/shop', external_name: 'https://shop.example.com' } }),
  getExternalPath: onExternalPath(),
  updateExternalPath: onExternalPath({ body: { path: '/store', external_name: 'https://store.example.com' } }),
  deleteExternalPath: onExternalPath(),
  verifyDomain: () => ({ query: { fqdn: `${newName()}.localhost` } }),
  checkSiteName: () => ({ query: { fqdn: `${newName()}.example.com` } }),
  getDomainClaim: ({ place }) => ({ query: { fqdn: `${newName()}.example.com`, team_id: place.teamId } }),
  listSiteDomains: onSite(),
  createSiteDomain: async ({ world, place }) => ({
    params: { fqdn: await siteIn(world, place) },
    body: { domain: `${newName()}.localhost`, mode: 'redirect', with_www: false },
  }),
  verifySiteDomain: onDomain(),
  updateSiteDomain: onDomain({ body: { mode: 'serve' } }),
  // It is that already, so that nothing of a site that is only a row is moved.
  promoteSiteDomain: async ({ world, place }) => {
    const { id, fqdn } = await world.site(place.teamId, place.opener);
    return { params: { fqdn, domain: await world.domain(id, fqdn) } };
  },
  deleteSiteDomain: onDomain(),
  setSiteCertificate: async ({ world, place }) => {
    const { id, fqdn } = await world.site(place.teamId, place.opener);
    const domain = await world.domain(id);
    return { params: { fqdn, domain }, body: ownCertificate(domain) };
  },
  deleteSiteCertificate: async ({ world, place }) => {
    const { id, fqdn } = await world.site(place.teamId, place.opener);
    const domain = await world.domain(id);
    await world.ownCertificate(domain);
    return { params: { fqdn, domain } };
  },
  listGitAccounts: nothing,
  createGitAccount: async ({ world, caller }) => {
    // Nobody may have many.
    await world.removeGitAccounts(world.person(caller));
    return { body: { provider: 'ssh', base_url: `ssh://${newName()}.example.com` } };
  },
  deleteGitAccount: async ({ world, caller }) => ({
    params: { git_account_id: await world.gitAccount(world.person(caller)) },
  }),
  listGitSyncRepositories: nothing,
  verifyGitSyncDirectories: ({ world }) => ({ query: { git_url: repositoryUrl(world.app.services.config) } }),
  getSiteFile: onFiles({ query: { path: 'index.php' } }),
  downloadSiteFile: onFiles(),
  saveSiteFile: onFiles({ body: { path: 'new.txt', content: 'new' } }),
  uploadSiteFile: onFiles({ query: { path: 'new.txt' }, body: Buffer.from('some bytes') }),
  createSiteFolder: onFiles({ body: { path: 'new' } }),
  moveSiteFile: onFiles({ body: { path: 'index.php', new_path: 'moved.php' } }),
  deleteSiteFile: onFiles({ query: { path: 'index.php' } }),
  searchSiteFiles: onFiles({ query: { name: 'index' } }),
  getSiteFileHistory: onFiles({ query: { path: 'index.php' } }),
  listDeletedSites: nothing,
  getBackups: onKeptSite(),
  listPitFiles: onKeptSite(),
  createBlobUrls: onKeptSite({ body: { keys: ['index.php'] } }),
  getBlob: async ({ world, place }) => {
    const { id } = await world.keptSite(place.teamId, place.opener);
    return { query: { token: await world.blob(id) } };
  },
  downloadBackup: onKeptSite(),
  listMoments: onKeptSite(),
  getHappenings: async ({ world, place }) => {
    const { fqdn } = await world.keptSite(place.teamId, place.opener);
    return { params: { fqdn }, query: { restore_point: now() } };
  },
  listRestorePoints: onKeptSite(),
  createRestorePoint: onKeptSite({ body: { name: 'Before the sale' } }),
  deleteRestorePoint: async ({ world, place }) => {
    const { id, fqdn } = await world.keptSite(place.teamId, place.opener);
    return { params: { fqdn, restore_point_id: await world.restorePoint(id) } };
  },
  listPitRestores: onSite(),
  createPitRestore: onKeptSite({ body: {} }),
  'createPitRestore/dry run': onKeptSite({ body: { is_dry_run: true } }),
  previewPitRestore: onKeptSite({ body: {} }),
  getPitRestore: async ({ world, place }) => {
    const { id, fqdn } = await world.keptSite(place.teamId, place.opener);
    return { params: { fqdn, pit_restore_id: await world.pitRestore(id) } };
  },
  createBreakSearch: onKeptSite({ body: { path: '/' } }),
  getBreakSearch: async ({ world, place }) => {
    const { id, fqdn } = await world.keptSite(place.teamId, place.opener);
    return { params: { fqdn, break_search_id: await world.breakSearch(id) } };
  },
  getPreview: async ({ world, caller, place }) => ({
    params: {
      preview_id: await world.preview(place.teamId, place === world.home ? world.person(caller) : place.owner),
    },
  }),
  createStage: async ({ world, place }) => ({
    params: { fqdn: (await world.keptSite(place.teamId, place.opener)).fqdn },
    body: { subdomain: newName() },
  }),
  deleteStage: onStagedSite,
  updateStage: async (setting) => ({ ...(await onStagedSite(setting)), body: { debug_enabled: true } }),
  listStageMail: onStagedSite,
  compareStage: async ({ world, place }) => ({
    params: { fqdn: (await world.comparableSite(place.teamId, place.opener)).fqdn },
  }),
  // The stage of the world is a row alone, and only with a choice there is nothing to compare.
  commitStage: async (setting) => ({ ...(await onStagedSite(setting)), body: { on_conflict: 'stage' } }),
  refreshStage: onStagedSite,
  restoreDeletedSite: async ({ world, place }) => ({
    params: { site_id: await world.deletedSite(place.teamId, place.opener) },
  }),

  listTemplates: nothing,
  createTemplate: async ({ world, place }) => ({
    body: {
      ...{ description: 'A shop', is_public: false, tag: 'business', url: `https://example.com/${newName()}` },
      fqdn: (await world.keptSite(place.teamId, place.opener)).fqdn,
    },
  }),
  'createTemplate/for a team': async ({ world, place }) => ({
    body: {
      ...{ description: 'A shop', is_public: false, tag: 'business', url: `https://example.com/${newName()}` },
      fqdn: (await world.keptSite(place.teamId, place.opener)).fqdn,
      team_id: place.teamId,
    },
  }),
  getTemplate: onTemplate(),
  'getTemplate/for everybody': async ({ world, place }) => ({
    params: { template_name: await world.template(place, place.opener, { isForAll: true }) },
  }),
  getTemplatePicture: onTemplate(),
  updateTemplate: onTemplate({ body: { description: 'Another shop' } }),
  deleteTemplate: onTemplate(),
  'deleteTemplate/made by the caller': async ({ world, caller, place }) => ({
    params: { template_name: await world.template(place, world.person(caller)) },
  }),
  listAllTemplates: nothing,
  approveTemplate: onTemplate({ body: { approved: true } }),

  listApplicationPasswords: inTeam,
  createApplicationPassword: ({ place }) => ({
    body: { fqdn: `${newName()}.example.com`, username: 'ada', password: 'a password', team_id: place.teamId },
  }),
  updateApplicationPassword: onPassword({ body: { password: 'another password' } }),
  'updateApplicationPassword/of the team': ofTheTeam(onPassword({ body: { username: 'bob' } })),
  deleteApplicationPassword: onPassword(),
  'deleteApplicationPassword/of the team': ofTheTeam(onPassword()),
  cmsProxy: throughCms(() => ({})),
  'cmsProxy/that writes': throughCms(() => ({ method: 'post', body_json: '{}' })),
  'cmsProxy/of the editors': throughCms(() => ({ query_params_json: '{"context":"edit"}' })),
  'cmsProxy/for the team': throughCms(({ teamId }) => ({ team_id: teamId })),
  storefrontProxy: throughStorefront(() => ({})),
  'storefrontProxy/that writes': throughStorefront(() => ({ method: 'delete' })),
  'storefrontProxy/for the team': throughStorefront(({ teamId }) => ({ team_id: teamId })),
  analyticsProxy: throughAnalytics('get'),
  'analyticsProxy/that writes': throughAnalytics('put'),
  callXmlRpc: onPassword(XML),
  'callXmlRpc/for the team': ofTheTeam(onPassword(XML)),

  listTeamTickets: inTeam,
  listTickets: nothing,
  createTicket: ({ place }) => ({ body: { ...TICKET, team_id: place.teamId } }),
  'createTicket/about a site': async ({ world, place }) => ({
    body: { ...TICKET, team_id: place.teamId, site_live_id: (await world.site(place.teamId, place.opener)).id },
  }),
  'createTicket/with a file': async ({ world, caller, place }) => ({
    body: { ...TICKET, team_id: place.teamId, s3_object: await world.attachment(world.person(caller), null) },
  }),
  getTicket: onTicket(),
  updateTicket: onTicket({ body: { assistant_custom_instructions: 'Be brief' } }),
  deleteTicket: onTicket(),
  'deleteTicket/opened by the caller': async ({ world, caller, place }) => ({
    params: { ticket_id: await world.ticket(place.teamId, world.person(caller)) },
  }),
  listReplies: onTicket(),
  streamAnswers: onTicket(),
  createReply: onTicket({ body: { description: 'Any news?' } }),
  'createReply/with a file': async ({ world, caller, place }) => ({
    params: { ticket_id: await world.ticket(place.teamId, place.opener) },
    body: { description: 'Here it is.', s3_object: await world.attachment(world.person(caller), null) },
  }),
  listProposals: nothing,
  createProposal: async ({ world, place }) => ({
    body: { operation: 'createStage', input: { fqdn: await siteIn(world, place), subdomain: 'stage' } },
  }),
  getProposal: onProposal,
  confirmProposal: onProposal,
  refuseProposal: onProposal,
  listAllTickets: ({ place }) => ({ query: { team_id: place.teamId } }),
  getAnyTicket: onTicket(),
  getTicketContext: onTicket(),
  getAnyTicketContext: onTicket(),
  assignTicket: async ({ world, place }) => ({
    params: { ticket_id: await world.ticket(place.teamId, place.opener) },
    body: { user_id: world.person('operator').id },
  }),
  unassignTicket: onTicket(),
  listAnyReplies: onTicket(),
  answerTicket: onTicket({ body: { description: 'We are looking into it.' } }),
  'answerTicket/with a file': async ({ world, caller, place }) => ({
    params: { ticket_id: await world.ticket(place.teamId, place.opener) },
    body: { description: 'Here it is.', s3_object: await world.attachment(world.person(caller), null) },
  }),
  uploadAttachment: () => ({ query: { name: 'log.txt' }, body: Buffer.from('some bytes') }),
  getAttachment: async ({ world, place }) => ({
    params: { s3_object: await world.attachment(place.opener, await world.ticket(place.teamId, place.opener)) },
  }),
  'getAttachment/of no ticket yet': async ({ world, place }) => ({
    params: { s3_object: await world.attachment(place === world.home ? world.person('member') : place.owner, null) },
  }),

  listWebhooks: inTeam,
  createWebhook: async ({ world, place }) => {
    // A team may have a few, and this is about who may make one.
    await world.noWebhooks(place.teamId);
    return {
      params: { team_id: place.teamId },
      body: { url: 'https://hooks.example.com/', event_types: ['git.synced'] },
    };
  },
  getWebhook: onWebhook(),
  updateWebhook: onWebhook({ body: { description: 'For the shop' } }),
  deleteWebhook: onWebhook(),
  rotateWebhookSecret: onWebhook({ body: {} }),
  testWebhook: onWebhook(),
  replayWebhook: onWebhook({ body: { since: now() } }),
  listWebhookDeliveries: onWebhook(),
  getWebhookDelivery: onDelivery,
  replayWebhookDelivery: onDelivery,

  listPlans: nothing,
  createCheckoutSession: ({ place }) => ({
    body: { for_team_id: place.teamId, plan_name: 'micro', interval: 'month' },
  }),
  'createCheckoutSession/new team': () => ({
    body: { new_team_name: newName(), plan_name: 'starter', interval: 'year' },
  }),
  syncCheckout: async ({ world, place }) => ({
    params: { checkout_id: (await world.checkout(place.owner)).checkoutId },
  }),
  createPortalSession: nothing,
  syncBilling: nothing,
  getTeamBilling: inTeam,
  getTeamUsage: inTeam,
  getTeamBills: inTeam,
  listSiteUse: inTeam,
  setAdditionalSites: async ({ world, place }) => ({
    params: { team_id: await world.paidTeam(place) },
    body: { additional_sites: 2 },
  }),
  receivePaymentEvent: ({ world }) => world.paymentEvent(),
  getGitLink: async ({ world, place }) => {
    const { fqdn } = await world.linkedSite(await world.site(place.teamId, place.opener));
    return { params: { fqdn } };
  },
  syncGit: async ({ world, place }) => {
    const { fqdn } = await world.linkedSite(await world.keptSite(place.teamId, place.opener));
    return { params: { fqdn } };
  },
  getGitChanges: onSyncedSite(),
  commitGitChanges: onSyncedSite({ body: { branch: 'main', message: 'From the site' } }),
  renewGitHookSecret: async ({ world, place }) => {
    const { fqdn } = await world.linkedSite(await world.site(place.teamId, place.opener));
    return { params: { fqdn } };
  },
  receiveGitPush: async ({ world, place }) => {
    const { id, hookSecret } = await world.linkedSite(await world.site(place.teamId, place.opener));
    return { params: { site_id: id }, body: Buffer.from('{}'), headers: { 'x-gitlab-token': hookSecret } };
  },
  getTestCheckout: async ({ world, place }) => ({
    params: { session_id: (await world.checkout(place.owner)).sessionId },
  }),
  endTestCheckout: async ({ world, place }) => ({
    params: { session_id: (await world.checkout(place.owner)).sessionId },
    body: { outcome: 'declined' },
  }),
  getTestPortal: async ({ world, place }) => ({
    params: { session_id: (await world.portal(place.owner)).sessionId },
  }),
  actInTestPortal: async ({ world, place }) => {
    const { sessionId, subscriptionId } = await world.portal(place.owner);
    return { params: { session_id: sessionId }, body: { action: 'cancel', subscription: subscriptionId } };
  },

  listRegions: nothing,
  getRegion: async ({ world }) => ({ params: { region_id: await world.region() } }),
  listAllRegions: nothing,
  createRegion: () => ({ body: { ...REGION, name: newName() } }),
  updateRegion: async ({ world }) => ({ params: { region_id: await world.region() }, body: { city: 'Basel' } }),
  deleteRegion: async ({ world }) => ({ params: { region_id: await world.region() } }),

  listFailedJobs: nothing,
  retryJob: async ({ world }) => ({ params: { job_id: await world.failedJob() } }),
  getFrontEnd: nothing,

  authorizeMetrics: () => ({
    query: { response_type: 'code', client_id: 'grafana', redirect_uri: METRICS_REDIRECT_URI },
  }),
  exchangeMetricsCode: async ({ world }) => ({
    body: {
      grant_type: 'authorization_code',
      code: await world.metricsCode(),
      redirect_uri: METRICS_REDIRECT_URI,
      client_id: 'grafana',
      client_secret: metricsClientSecret(world.app.services),
    },
  }),
  getMetricsUser: nothing,
  getMetricsDashboard: nothing,
};

const SITE = {
  cms_blog_name: 'A blog',
  cms_username: 'ada',
  cms_email: 'ada@example.com',
  cms_first_name: 'Ada',
  cms_last_name: 'Lovelace',
  cms_password: 'correct horse battery',
};
const TICKET = { subject: 'It is broken', description: 'Please help' };

/** The valid request of a row, made for this caller. */
export async function makeRequest(row: string, setting: Setting): Promise<Ingredients> {
  const make = requests[row];
  if (!make) throw new Error(`There is no request for ${row}: add it to test/acceptance/requests.ts`);
  return make(setting);
}

/** Sends it with its own token or, where it has none, with the caller's. */
export function sendRequest(
  app: TestApp,
  operation: Operation,
  ingredients: Ingredients,
  { headers, ...options }: RequestOptions = {},
): Promise<Answer> {
  return request(app, operation.method, fillPath(operation, ingredients), {
    body: ingredients.body,
    ...options,
    headers: { ...ingredients.headers, ...headers },
    token: ingredients.token ?? options.token,
  });
}

export function fillPath(operation: Operation, { params = {}, query }: Ingredients): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? randomUUID()));
  return query ? `${path}?${new URLSearchParams(query)}` : path;
}

/** Where a request can name something by its id. */
export interface Position {
  part: 'params' | 'query' | 'body';
  name: string;
}

export function idPositions(operation: Operation): Position[] {
  const parts = [
    ['params', operation.params],
    ['query', operation.query],
    ['body', operation.body],
  ] as const;
  return parts.flatMap(([part, schema]) => {
    const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { format?: string }> };
    // A host name is a site's id where the path names one; elsewhere it is a wish or a filter.
    const isId = (name: string) =>
      /_id$|^s3_object$/.test(name) || (part === 'params' && (name === 'fqdn' || name === 'template_name'));
    const names = Object.keys(properties).filter(isId);
    return names.map((name) => ({ part, name }));
  });
}

/** An id that nobody has, of the same kind as this one. */
export function missingId({ name }: Position, sample: string | number | undefined): string | number {
  if (name === 'fqdn') return `${randomUUID()}.example.com`;
  if (name === 'session_id') return String(sample).replace(/[0-9a-f]{24}$/, () => randomBytes(12).toString('hex'));
  return typeof sample === 'number' ? 2_000_000_000 : randomUUID();
}

export function replaceId(ingredients: Ingredients, { part, name }: Position, id: string | number): Ingredients {
  return { ...ingredients, [part]: { ...(ingredients[part] as Record<string, unknown>), [name]: id } };
}

export const idAt = (ingredients: Ingredients, { part, name }: Position): string | number | undefined =>
  (ingredients[part] as Record<string, string | number> | undefined)?.[name];
