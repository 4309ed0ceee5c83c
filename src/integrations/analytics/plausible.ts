/**
 * What a request to Plausible is about. Plausible knows a site by its domain, which is the site's name here, and a person by
 * their address. Of teams it has its own, which no API makes; a key that is bound to one ignores `team_id`, and one that it
 * does not know counts as none. So a team's id here means something to us alone. A request is let through only where
 * everything that it can reach is named in it, or where its answer is a list that can be cut to what is the caller's.
 */
export interface AnalyticsRequest {
  method: string;
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  body: unknown;
}

/** Each once. */
export interface NamedIds {
  sites: Set<string>;
  teams: Set<string>;
  /** People who are to see a site's figures in Plausible itself. */
  guests: Set<string>;
  /** True where the answer lists sites of everybody. */
  listsSites: boolean;
}

/** What stands below /api/v1/sites/ besides a site's own name. */
const PARTS_OF_A_SITE = ['goals', 'shared-links', 'custom-props', 'guests'];

/** Undefined where the request is about more than what it names. */
export function idsNamedIn(request: AnalyticsRequest): NamedIds | undefined {
  const teams = new Set(values(request, 'team_id'));
  const listsSites = teams.size > 0 && isListOfSites(request);
  const sites = listsSites ? values(request, 'site_id') : sitesNamedIn(request);
  const adds = request.method !== 'DELETE' && partOf(request) === 'guests';
  return sites && { sites: new Set(sites), teams, guests: new Set(adds ? values(request, 'email') : []), listsSites };
}

/** The list without what is somebody else's; whatever else it is, nothing of it is left. */
export function withSitesAlone(body: unknown, names: readonly string[]): object {
  const { sites, meta } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const isOwn = (site: unknown) => names.includes((site as { domain?: string } | null)?.domain ?? '');
  return { sites: Array.isArray(sites) ? sites.filter(isOwn) : [], meta };
}

const segments = ({ path }: AnalyticsRequest) => path.toLowerCase().split('/').slice(1);
const partOf = (request: AnalyticsRequest) => segments(request)[3];

function isListOfSites(request: AnalyticsRequest): boolean {
  return request.method === 'GET' && /^api\/v1\/sites\/?$/.test(segments(request).join('/'));
}

function sitesNamedIn(request: AnalyticsRequest): string[] | undefined {
  const [api, version, resource, part] = segments(request);
  const [site, domain] = [values(request, 'site_id'), values(request, 'domain')];
  if (api !== 'api') return undefined;
  if (version === 'v2' && resource === 'query' && !part) return named(site);
  if (version !== 'v1') return undefined;
  if (resource === 'stats') return named(site);
  if (resource !== 'sites') return undefined;
  if (!part) return request.method === 'POST' ? named(domain, site) : undefined;
  if (PARTS_OF_A_SITE.includes(part)) return named(site, domain);
  return part.includes('.') ? [part, ...site, ...domain] : undefined;
}

/** Something has to be named; what else is named counts too. */
function named(required: string[], besides: string[] = []): string[] | undefined {
  return required.length > 0 ? [...required, ...besides] : undefined;
}

/** In the query and in the body: Plausible reads both as one. A list or an object is no id, and is refused as one. */
function values({ query, body }: AnalyticsRequest, name: string): string[] {
  const found = query.filter(([each]) => each.replace(/\[.*$/, '').toLowerCase() === name).map(([, value]) => value);
  if (typeof body === 'object' && body !== null && Object.hasOwn(body, name))
    found.push(String((body as Record<string, unknown>)[name]));
  return found;
}
