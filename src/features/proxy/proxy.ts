import type { Services } from '#core/services.ts';
import type { ApplicationPasswordRow } from '#features/application-password/application-password.ts';
import { withSitesAlone } from '#integrations/analytics/plausible.ts';
import { toProxyAnswer } from './proxy.answer.ts';
import { callHost, callHosted, callServer, type Outgoing } from './proxy.call.ts';
import { type ProxyRequest, restTargetOf, targetOf } from './proxy.rules.ts';
import { analyticsNotConfigured, type ProxyAnswer } from './proxy.schema.ts';
import type { Target } from './proxy.target.ts';
import { type Credentials, cutCredentials, fillCredentials, requireXml } from './proxy.xml.ts';

/** Requests that are passed on with a credential that the caller never sees. */

export async function callCms(services: Services, target: Target, request: ProxyRequest): Promise<ProxyAnswer> {
  if ('site' in target) {
    const outgoing = { ...toOutgoing(request), target: restTargetOf(request) };
    return toProxyAnswer(await callHosted(services, target.site.id, outgoing));
  }
  const { username, password, basic } = credentialsOf(services, target.password);
  const outgoing = toOutgoing(request, { authorization: `Basic ${basic}` });
  return toProxyAnswer(await callHost(services, target.password.fqdn, outgoing), [
    basic,
    password,
    `${username}:${password}`,
  ]);
}

export async function callStorefront(
  services: Services,
  stored: ApplicationPasswordRow,
  request: ProxyRequest,
): Promise<ProxyAnswer> {
  const { password } = credentialsOf(services, stored);
  const outgoing = toOutgoing(request, { 'x-shopify-access-token': password });
  return toProxyAnswer(await callHost(services, stored.fqdn, outgoing), [password]);
}

/** Of a list of sites, only those that are given come back. */
export async function callAnalytics(
  services: Services,
  request: ProxyRequest,
  sites: readonly string[] | undefined,
): Promise<ProxyAnswer> {
  const { analytics } = services.config;
  if (!analytics) throw analyticsNotConfigured();
  const outgoing = toOutgoing(request, { authorization: `Bearer ${analytics.token}` });
  const answer = await toProxyAnswer(await callServer(services, analytics.url, outgoing), [analytics.token]);
  return sites && answer.status_code === 200 ? { ...answer, body: withSitesAlone(answer.body, sites) } : answer;
}

const XML = { 'content-type': 'text/xml; charset=utf-8', accept: 'text/xml' };

/** The answer to an XML-RPC call, as XML. */
export async function callXmlRpc(services: Services, target: Target, xml: Buffer): Promise<string> {
  const outgoing = { method: 'POST', target: '/xmlrpc.php', headers: XML, body: xml as Uint8Array };
  if ('site' in target) return requireXml(await callHosted(services, target.site.id, outgoing));
  const credentials = credentialsOf(services, target.password);
  const headers = { ...XML, authorization: `Basic ${credentials.basic}` };
  const body = fillCredentials(xml.toString(), credentials);
  const answer = await callHost(services, target.password.fqdn, { ...outgoing, headers, body });
  return cutCredentials(requireXml(answer), credentials);
}

function toOutgoing(request: ProxyRequest, headers: Record<string, string> = {}): Outgoing {
  const { method, bodyText: body } = request;
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return { method, target: targetOf(request), headers: { ...headers, ...type }, body };
}

function credentialsOf({ secrets }: Services, { username, password_sealed }: ApplicationPasswordRow): Credentials {
  const password = secrets.open(password_sealed).toString();
  return { username, password, basic: Buffer.from(`${username}:${password}`).toString('base64') };
}
