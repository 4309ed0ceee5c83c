/**
 * Which sites a request to Plausible is about. Plausible knows a site by its domain, which is the site's name here, so
 * this is all it takes to keep a caller to the figures of their own sites: a request is let through only where everything
 * that it can reach is named in it.
 */
export interface AnalyticsRequest {
  method: string;
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  body: unknown;
}

/** What stands below /api/v1/sites/ besides a site's own name. */
const PARTS_OF_A_SITE = ['goals', 'shared-links', 'custom-props', 'guests'];

/** Each once. Undefined where the request is about more than the sites that it names. */
export function sitesNamedIn(request: AnalyticsRequest): Set<string> | undefined {
  const names = listNamed(request);
  return names && new Set(names);
}

function listNamed({ method, path, query, body }: AnalyticsRequest): string[] | undefined {
  const [api, version, resource, part] = path.toLowerCase().split('/').slice(1);
  const site = [
    ...query.filter(([name]) => baseName(name) === 'site_id').map(([, value]) => value),
    ...members(body, 'site_id'),
  ];
  const domain = members(body, 'domain');
  if (api !== 'api') return undefined;
  if (version === 'v2' && resource === 'query' && !part) return named(site);
  if (version !== 'v1') return undefined;
  if (resource === 'stats') return named(site);
  if (resource !== 'sites') return undefined;
  if (!part) return method === 'POST' ? named(domain, site) : undefined;
  if (PARTS_OF_A_SITE.includes(part)) return named(site, domain);
  return part.includes('.') ? [part, ...site, ...domain] : undefined;
}

/** Something has to be named; what else is named counts too. */
function named(required: string[], besides: string[] = []): string[] | undefined {
  return required.length > 0 ? [...required, ...besides] : undefined;
}

/** A list or an object in its place is no name of a site, and is refused as one. */
function members(body: unknown, name: string): string[] {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return [];
  return [String((body as Record<string, unknown>)[name])];
}

const baseName = (name: string) => name.replace(/\[.*$/, '').toLowerCase();
