import { bodyFault, type Fault, invalid } from '#core/errors.ts';

/** A request that is passed on, as it goes out: nothing of it is left that could mean something else to the other side. */
export interface ProxyRequest {
  method: string;
  path: string;
  query: [name: string, value: string][];
  /** Parsed, for whoever has to look into it. */
  body: unknown;
  /** As it is sent. */
  bodyText: string | undefined;
  /** True if method and path say that the request only reads. Whether a viewer may send it to a WordPress: `isPublicRead`. */
  reads: boolean;
}

interface Input {
  method?: string;
  path?: string;
  query_params_json?: string;
  body_json?: string;
}

/** Where WordPress has its JSON API. */
export const CMS_ROOT = '/wp-json';
export const STOREFRONT_ROOT = '/admin/api';
export const ANALYTICS_ROOT = '/api';
const READS = ['get', 'head', 'options'];
/** Would make the other side do something else than the method and the path say. */
const OVERRIDES = ['_method', 'x-http-method-override', 'rest_route'];
/** PHP and others read blanks, dots and lone brackets in a name as an underscore, so they could spell any name. */
const PARAMETER = /^[A-Za-z0-9_:-]+(?:\[[A-Za-z0-9_-]*\])*$/;
const MAX_DECODINGS = 3;

/** Reads a request to a path at or below `root`, or names what is wrong with it. */
export function readProxyRequest(input: Input, root: string): ProxyRequest {
  const faults: Fault[] = [];
  const method = input.method ?? 'get';
  const path = input.path ?? '';
  const pathFault = findPathFault(path, root);
  if (pathFault) faults.push(bodyFault('path', `Value error, ${pathFault}`));
  const query = readQuery(input.query_params_json, faults);
  const { body, bodyText } = readBody(input.body_json, faults);
  if (body !== undefined && READS.includes(method))
    faults.push(bodyFault('body_json', `Value error, a request with ${method} has no body`));
  for (const name of typeof body === 'object' && body !== null ? Object.keys(body) : [])
    if (isOverride(name)) faults.push(bodyFault('body_json', `Value error, ${name} is not taken; say it with method`));
  if (faults.length > 0) throw invalid(...faults);
  const reads = READS.includes(method) && !isBatch(path);
  return { method: method.toUpperCase(), path, query, body, bodyText, reads };
}

/** What a request would do there, for whoever has to know before it is sent. One that is refused is none of theirs. */
export function effectBelow(
  root: string,
  isHarmless: (request: ProxyRequest) => boolean = () => true,
): (input: Input) => 'read' | undefined {
  return (input) => {
    try {
      const request = readProxyRequest(input, root);
      return request.reads && isHarmless(request) ? 'read' : undefined;
    } catch {
      return undefined;
    }
  };
}

/**
 * WordPress' own routes whose content visitors may read. The request acts as the site's administrator, so every other GET may show or do
 * anything: a plugin's route may write, `settings` and `users` are the administrator's, and `url-details` and `oembed` call other servers.
 */
const PUBLIC_ROUTES = new RegExp(
  `^${CMS_ROOT}/wp/v2(?:${[
    // A list holds what is published; a draft would be shown by its number. `include` selects from the list by number.
    '/(?:posts|pages|media)',
    '/(?:categories|tags)(?:/\\d+)?',
    '/(?:types|taxonomies|statuses)(?:/[\\w-]+)?',
    // One that is held for moderation has a number as well.
    '/comments',
    '/search',
  ].join('|')})?/?$`,
);
/** A plugin may act on any parameter, whatever the route is. `_embed` reads what a plugin links to. */
const PUBLIC_PARAMETERS = new Set(
  [
    'context page per_page offset order orderby search search_columns include exclude slug parent parent_exclude _fields _envelope',
    'after before modified_after modified_before author author_exclude categories categories_exclude tags tags_exclude tax_relation',
    'menu_order sticky status hide_empty post media_type mime_type subtype',
  ].flatMap((names) => names.split(' ')),
);
const PUBLIC_VALUES: Record<string, readonly string[]> = {
  context: ['view', 'embed'],
  status: ['publish', 'inherit', 'approve'],
};

/** True for what a viewer, a token without `write` and an assistant may send to a WordPress. */
export function isPublicRead({ reads, path, query }: ProxyRequest): boolean {
  return reads && PUBLIC_ROUTES.test(path) && query.every(isPublicParameter);
}

function isPublicParameter([name, value]: readonly [string, string]): boolean {
  const plain = name.replace(/\[.*$/, '');
  return PUBLIC_PARAMETERS.has(plain) && (PUBLIC_VALUES[plain]?.includes(value) ?? true);
}

export const cmsEffect = effectBelow(CMS_ROOT, isPublicRead);

/** The path with its query string. */
export function targetOf({ path, query }: ProxyRequest): string {
  return query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path;
}

/**
 * The same for a WordPress of ours, in the form that it understands whatever its permalinks are. What has a meaning of its
 * own in a query and none in a path is escaped.
 */
export function restTargetOf({ path, query }: ProxyRequest): string {
  const route = path.slice(CMS_ROOT.length) || '/';
  const besides = query.length > 0 ? `&${new URLSearchParams(query)}` : '';
  return `/?rest_route=${route.replaceAll('&', '%26').replaceAll('+', '%2B')}${besides}`;
}

function findPathFault(path: string, root: string): string | undefined {
  if (!path.startsWith('/')) return 'must be a path that starts with /, without a host';
  if (/[?#]/.test(path)) return 'must not hold a query or a fragment; use query_params_json';
  if (!/^(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})+$/.test(path)) return 'must be a path of a URL, percent-encoded';
  for (const text of decodings(path)) {
    if (text.startsWith('//')) return 'must not start with //';
    if (/[\p{Cc}\\]/u.test(text)) return 'must not hold backslashes or control characters';
    if (text.split('/').some((segment) => segment === '.' || segment === '..'))
      return 'must not hold the segments . and ..';
  }
  if (path !== root && !path.startsWith(`${root}/`) && root !== '/') return `must be ${root} or below it`;
  return undefined;
}

/** The path as it is and as the other side may read it, however often that decodes it. */
function decodings(path: string): string[] {
  const texts = [path];
  for (let time = 0; time < MAX_DECODINGS; time++) {
    const last = texts.at(-1) as string;
    // In Latin-1, which decodes whatever bytes there are; only ASCII means anything here.
    const next = last.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === last) break;
    texts.push(next);
  }
  return texts;
}

/** A batch holds requests of its own, which may write. */
function isBatch(path: string): boolean {
  return decodings(path.toLowerCase()).some((text) => text.toLowerCase().split('/').includes('batch'));
}

const isOverride = (name: string) => OVERRIDES.includes(name.replace(/\[.*$/, '').toLowerCase());

function readQuery(text: string | undefined, faults: Fault[]): [string, string][] {
  const fault = (msg: string) => faults.push(bodyFault('query_params_json', `Value error, ${msg}`));
  const object = readJson('query_params_json', text || undefined, faults);
  if (object === undefined) return [];
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    fault('must be a JSON object, such as {"per_page": 5}');
    return [];
  }
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (!PARAMETER.test(name)) fault(`${JSON.stringify(name).slice(0, 60)} is no name of a parameter`);
    else if (isOverride(name)) fault(`${name} is not taken; say it with method and path`);
    const isList = Array.isArray(value);
    const values: unknown[] = isList ? value : [value];
    if (!values.every(isScalar))
      fault(`${name.slice(0, 60)} must be a text, a number, true, false, null or a list of these`);
    const key = isList && !name.endsWith(']') ? `${name}[]` : name;
    return values.filter((each) => each !== null).map((each): [string, string] => [key, String(each)]);
  });
}

const isScalar = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** What is sent is written anew: of a name that stands twice we would check the last and the other side might take the first. */
function readBody(text: string | undefined, faults: Fault[]): Pick<ProxyRequest, 'body' | 'bodyText'> {
  const body = readJson('body_json', text, faults);
  if (text === undefined || body === undefined) return { body: undefined, bodyText: undefined };
  try {
    return { body, bodyText: JSON.stringify(JSON.parse(text, asWritten)) };
  } catch {
    faults.push(bodyFault('body_json', 'Value error, too many lists and objects inside one another'));
    return { body: undefined, bodyText: undefined };
  }
}

/** A number that is longer than ours can be stays as it is. */
const asWritten = (_name: string, value: unknown, { source }: { source: string }) =>
  typeof value === 'number' ? JSON.rawJSON(source) : value;

declare global {
  /** ECMAScript 2026, which Node has and the types do not know yet. */
  interface JSON {
    parse(text: string, reviver: typeof asWritten): unknown;
    rawJSON(text: string): unknown;
  }
}

function readJson(field: string, text: string | undefined, faults: Fault[]): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    faults.push(bodyFault(field, 'JSON decode error', 'json_invalid'));
    return undefined;
  }
}
