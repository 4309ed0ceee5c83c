import { Type } from 'typebox';
import { forbidden } from '#core/errors.ts';
import type { Body } from '#core/http/body.ts';
import { operation, textOperation } from '#core/http/operation.ts';
import { Host, Uuid } from '#core/http/schema.ts';
import { teamNotFound, verified, verifiedIf } from '#core/policy.ts';
import {
  ambiguousTeam,
  applicationPasswordNotFound,
} from '#features/application-password/application-password.schema.ts';
import type { ApplicationPasswordRow } from '#features/application-password/application-password.ts';
import { siteNotFound } from '#features/instance/instance.schema.ts';
import { findAnalyticsTarget } from './proxy.analytics.ts';
import {
  ANALYTICS_ROOT,
  CMS_ROOT,
  cmsEffect,
  effectBelow,
  isPublicRead,
  type ProxyRequest,
  readProxyRequest,
  STOREFRONT_ROOT,
} from './proxy.rules.ts';
import {
  AnalyticsProxyRequest,
  analyticsNotConfigured,
  CmsRequest,
  elsewhereErrors,
  hostedErrors,
  ProxyAnswer,
  proxyNoXml,
  StorefrontRequest,
} from './proxy.schema.ts';
import { findPassword, findTarget, onHost, onTarget, requireScopeFor, roleFor, type Target } from './proxy.target.ts';
import { callAnalytics, callCms, callStorefront, callXmlRpc } from './proxy.ts';

const tag = 'proxies';
const ELSEWHERE = 'for a site elsewhere';

export const proxyOperations = [
  operation({
    id: 'cmsProxy',
    method: 'POST',
    path: '/cms-proxy',
    tag,
    summary: "Pass a request on to a site's JSON API: one of yours here, or one elsewhere with a stored password",
    access: verifiedIf(
      ELSEWHERE,
      onTarget<{ request: ProxyRequest; target: Target }>(
        'in the team of the site or of the stored password',
        async (db, caller, input) => {
          const request = readProxyRequest(input, CMS_ROOT);
          const needed = { reads: isPublicRead(request) };
          const target = await findTarget(db, caller, roleFor(needed), input as CmsRequest);
          requireScopeFor(caller, needed);
          return { request, target };
        },
        [applicationPasswordNotFound, ambiguousTeam, forbidden],
        'to read public content (posts, pages, media, comments, terms and types)',
      ),
    ),
    assistant: true,
    effectOf: cmsEffect,
    body: CmsRequest,
    response: ProxyAnswer,
    errors: [...elsewhereErrors, ...hostedErrors],
    changesElsewhere: ({ subject: { request } }) => !request.reads,
    prepare: ({ services, subject: { request, target } }) => callCms(services, target, request),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'storefrontProxy',
    method: 'POST',
    path: '/storefront-proxy',
    tag,
    summary: 'Pass a request on to the admin API of a storefront, with the stored access token of that shop',
    access: verified(
      onTarget<{ request: ProxyRequest; password: ApplicationPasswordRow }>(
        'in the team of the stored password',
        async (db, caller, input, { storefrontDomain }) => {
          const request = readProxyRequest(input, STOREFRONT_ROOT);
          const { shop_name, team_id } = input as StorefrontRequest;
          const fqdn = `${shop_name}.${storefrontDomain}`;
          const password = await findPassword(db, caller, roleFor(request), { fqdn, team_id });
          requireScopeFor(caller, request);
          return { request, password };
        },
        [applicationPasswordNotFound, ambiguousTeam, forbidden],
      ),
    ),
    assistant: true,
    effectOf: effectBelow(STOREFRONT_ROOT),
    body: StorefrontRequest,
    response: ProxyAnswer,
    errors: [...elsewhereErrors],
    changesElsewhere: ({ subject: { request } }) => !request.reads,
    prepare: ({ services, subject: { request, password } }) => callStorefront(services, password, request),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'analyticsProxy',
    method: 'POST',
    path: '/analytics-proxy',
    tag,
    summary: 'Pass a request on to the analytics API (Plausible) about sites of yours, which it names as site_id',
    access: verified(
      onTarget('in the team of every site and every team that the request names', findAnalyticsTarget, [
        teamNotFound,
        siteNotFound,
        forbidden,
      ]),
    ),
    assistant: true,
    effectOf: effectBelow(ANALYTICS_ROOT),
    body: AnalyticsProxyRequest,
    response: ProxyAnswer,
    errors: [analyticsNotConfigured, ...elsewhereErrors],
    changesElsewhere: ({ subject: { request } }) => !request.reads,
    prepare: ({ services, subject: { request, sites } }) => callAnalytics(services, request, sites),
    handle: async ({ prepared }) => prepared,
  }),
  textOperation({
    id: 'callXmlRpc',
    method: 'POST',
    path: '/xmlrpc/{fqdn}',
    tag,
    summary: 'Pass an XML-RPC call on to a site; elsewhere {{username}} and {{password}} stand for what is stored',
    access: verifiedIf(ELSEWHERE, onHost('member')),
    params: Type.Object({ fqdn: Host }),
    query: Type.Object({ team_id: Type.Optional(Uuid) }),
    accepts: ['xml'],
    produces: 'text/xml',
    errors: [ambiguousTeam, proxyNoXml, ...elsewhereErrors, ...hostedErrors],
    changesElsewhere: () => true,
    async prepare({ db, services, caller, params: { fqdn }, query, body }) {
      const target = await findTarget(db, caller, 'member', { fqdn, ...query });
      return callXmlRpc(services, target, (body as Body).raw);
    },
    async handle({ db, caller, params: { fqdn }, query, prepared, headers }) {
      // The policy knows the host alone. Whose it is was said by the query, and that right may have ended meanwhile.
      await findTarget(db, caller, 'member', { fqdn, ...query });
      // Never shown in place: what a site says must not run with the platform's origin.
      headers['content-security-policy'] = "sandbox; default-src 'none'";
      return prepared;
    },
  }),
];
