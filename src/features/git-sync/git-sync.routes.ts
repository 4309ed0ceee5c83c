import { Type } from 'typebox';
import { eventDetail } from '#core/events/events.ts';
import { operation, rawOperation } from '#core/http/operation.ts';
import { Empty, Fqdn, OfStage, Uuid } from '#core/http/schema.ts';
import { anyone, forAccount, signedIn, verified } from '#core/policy.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { findSiteById, onSite, stageMissing } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { receivePush } from './git-sync.hook.ts';
import { getLink, renewHookSecret, syncNow } from './git-sync.link.ts';
import {
  GitLink,
  GitSyncRepository,
  noHook,
  notLinked,
  repositoryErrors,
  syncFailed,
  VerifiedRepository,
} from './git-sync.schema.ts';
import { listRepositories } from './git-sync.ts';
import { verifyRepository } from './git-sync.verify.ts';

const tag = 'git';

export const gitSyncOperations = [
  operation({
    id: 'listGitSyncRepositories',
    // It asks a Git host in the name of the person.
    showsContent: true,
    method: 'GET',
    path: '/get_git_sync_repos',
    tag,
    summary: 'The repositories of your linked Git accounts, and those that your sites are linked to',
    access: forAccount,
    response: Type.Array(GitSyncRepository),
    handle: ({ db, services, caller }) => listRepositories(db, services, caller),
  }),
  operation({
    id: 'verifyGitSyncDirectories',
    // It asks a Git host in the name of the person.
    showsContent: true,
    method: 'GET',
    path: '/verify_git_sync_directories',
    tag,
    summary: 'Whether a repository holds what the content of a site is made of',
    access: verified(signedIn),
    query: Type.Object({
      git_url: Type.String({ minLength: 1, maxLength: 2083, description: 'https, ssh or git@host:path' }),
      git_branch: Type.Optional(Type.String({ maxLength: 250, description: "The repository's default when left out" })),
    }),
    response: VerifiedRepository,
    errors: [...repositoryErrors],
    handle: ({ db, services, caller, query }) => verifyRepository(db, services, caller, query),
  }),
  operation({
    id: 'getGitLink',
    method: 'GET',
    path: '/site/{fqdn}/git_sync',
    tag,
    summary: 'The repository that a site or its stage follows, and the address for pushes',
    access: onSite('viewer'),
    params: Type.Object({ fqdn: Fqdn }),
    query: Type.Object({ stage: OfStage }),
    response: GitLink,
    errors: [notLinked, stageMissing],
    handle: ({ db, services, caller, subject, query }) => getLink(db, services, caller, subject, query.stage),
  }),
  operation({
    id: 'syncGit',
    method: 'POST',
    path: '/site/{fqdn}/git_sync',
    tag,
    summary: 'Bring a site or its stage to the newest commit of its branch now',
    access: onSite('member'),
    params: Type.Object({ fqdn: Fqdn }),
    query: Type.Object({ stage: OfStage }),
    response: GitLink,
    errors: [...workingTeamErrors, notLinked, stageMissing, siteBusy, syncFailed],
    goesOn: true,
    handle: (call) => syncNow(call, call.subject, call.query.stage),
    async reread({ db, services, caller, subject, query }, first) {
      const { failure } = await eventDetail(db, first.eventId);
      if (typeof failure === 'string') throw syncFailed({ message: failure });
      return getLink(db, services, caller, (await findSiteById(db, subject.id)) ?? subject, query.stage);
    },
  }),
  operation({
    id: 'renewGitHookSecret',
    method: 'POST',
    path: '/site/{fqdn}/git_sync/hook_secret',
    tag,
    summary: 'Give the address for pushes a new secret; what is signed with the one before is refused at once',
    access: onSite('member'),
    params: Type.Object({ fqdn: Fqdn }),
    response: GitLink,
    errors: [notLinked],
    handle: (call) => renewHookSecret(call, call.subject),
  }),
  rawOperation({
    id: 'receiveGitPush',
    method: 'POST',
    path: '/git_hook/{site_id}',
    tag,
    summary: 'For Git hosts alone, who sign with the secret of the site what they tell of a push',
    access: anyone,
    params: Type.Object({ site_id: Uuid }),
    accepts: ['bytes'],
    bodyLimitBytes: 5 * 1024 * 1024,
    limit: 'gitPush',
    produces: 'application/json',
    response: Empty,
    errors: [noHook],
    async serve({ services, params, body }, request, reply) {
      await receivePush(services, params.site_id, request.headers, (body as { raw: Buffer }).raw);
      return reply.send({});
    },
  }),
];
