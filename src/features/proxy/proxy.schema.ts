import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Host, OneOf, OpenObject, say, Uuid } from '#core/http/schema.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { siteNotFound } from '#features/instance/instance.schema.ts';
import { teamExpired, teamSuspended } from '#features/team/team.schema.ts';

const METHODS = ['get', 'post', 'put', 'delete', 'patch', 'options', 'head'] as const;

const request = {
  method: Type.Optional(
    say(Type.Unsafe<(typeof METHODS)[number]>({ ...OneOf(METHODS), default: 'get' }), 'The method of the request'),
  ),
  query_params_json: Type.Optional(
    Type.String({
      maxLength: 100_000,
      description: 'A JSON object, as text, that becomes the query string; lists as name[]',
      examples: ['{"per_page": 5, "status": "publish"}'],
    }),
  ),
  body_json: Type.Optional(
    Type.String({
      maxLength: 1_000_000,
      description: 'The body: JSON, as text',
      examples: ['{"title": "Hello", "status": "draft"}'],
    }),
  ),
};
const path = (example: string, fallback?: string) =>
  Type.String({
    maxLength: 2000,
    description: 'Where the request goes, without a query',
    examples: [example],
    ...(fallback !== undefined && { default: fallback }),
  });
const team_id = Type.Optional(
  Type.String({ ...Uuid, description: 'Whose stored password, where several of your teams have one' }),
);

export const CmsRequest = Type.Object({
  ...request,
  fqdn: Host,
  path: Type.Optional(path('/wp-json/wp/v2/posts', '/wp-json/wp/v2/')),
  team_id,
});
export type CmsRequest = Static<typeof CmsRequest>;

export const StorefrontRequest = Type.Object({
  ...request,
  shop_name: Type.String({
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
    description: 'The label before the domain of the storefronts',
    examples: ['harbour-works'],
  }),
  path: Type.Optional(path('/admin/api/2024-04/products.json', '/admin/api/2024-04')),
  team_id,
});
export type StorefrontRequest = Static<typeof StorefrontRequest>;

export const AnalyticsProxyRequest = Type.Object({ ...request, path: path('/api/v1/stats/aggregate') });
export type AnalyticsProxyRequest = Static<typeof AnalyticsProxyRequest>;

export const ProxyAnswer = Type.Object(
  {
    status_code: Type.Integer(),
    headers: OpenObject,
    body: Type.Unsafe<unknown>({
      description: 'Parsed where it is JSON of up to 2 MiB and 50,000 values, text where it is text, base64 otherwise',
    }),
    body_encoding: Type.Unsafe<BodyEncoding>({ ...OneOf(['json', 'text', 'base64', 'empty']) }),
  },
  { title: 'ProxyAnswer' },
);
export type BodyEncoding = 'json' | 'text' | 'base64' | 'empty';
export type ProxyAnswer = Static<typeof ProxyAnswer>;

export const proxyUnreachable = failure('proxy.unreachable', 502, 'The other side can not be reached.');
export const proxyRefused = failure(
  'proxy.not_public',
  502,
  'The other side is not at a public address, so it is not called.',
);
/** What comes after the request went out: whether it was obeyed is another question. */
const SENT = { mayHaveHappened: true } as const;
export const proxyTooLarge = failure('proxy.answer_too_large', 502, 'The other side answers more than 10 MB.', SENT);
export const proxyRedirects = failure('proxy.redirects', 502, 'The other side redirects again and again.');
export const proxyTimeout = failure('proxy.timeout', 504, 'The other side did not answer within 30 seconds.', SENT);
export const proxySiteFailed = failure('proxy.site_failed', 502, "The site's WordPress failed to answer.", SENT);
export const proxyNoXml = failure('proxy.no_xml', 502, 'The other side did not answer with XML.', SENT);
export const analyticsNotConfigured = failure(
  'analytics.not_configured',
  503,
  'No analytics server is configured; an operator sets ANALYTICS_URL and ANALYTICS_TOKEN.',
);
/** Of a call that leaves the platform. */
export const elsewhereErrors = [proxyUnreachable, proxyRefused, proxyTooLarge, proxyRedirects, proxyTimeout];
/** Of a call to a site that is hosted here. */
export const hostedErrors = [
  siteNotFound,
  siteBusy,
  teamSuspended,
  teamExpired,
  proxySiteFailed,
  proxyTooLarge,
  proxyTimeout,
  proxyUnreachable,
];
