import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type RawInput, ROUTES, type Route } from '../../../sdk/index.ts';
import { readInput } from '../ask.ts';
import type { Cli } from '../cli.ts';
import { Stop } from '../exit.ts';
import type { GetCli } from './shared.ts';

const PREFIX = '/f/api/v1';

interface Flags {
  method?: string;
  rawField: string[];
  field: string[];
  query: string[];
  header: string[];
  input?: string;
  paginate?: boolean;
  include?: boolean;
}

const collect = (value: string, before: string[]) => [...before, value];

export function build(command: Command, getCli: GetCli): void {
  command
    .argument('<operation>', 'its name, such as listSites, or a path, such as /site or /site/{fqdn}/log')
    .option('-X, --method <method>', 'of a path; GET, or POST where there are fields')
    .option('-f, --raw-field <name=value>', 'a field that is a text', collect, [])
    .option('-F, --field <name=value>', 'a field that is a number, true, false, null, JSON, or @file', collect, [])
    .option('-q, --query <name=value>', 'a field of the query, where the rest is the body', collect, [])
    .option('-H, --header <name:value>', 'a header besides', collect, [])
    .option('--input <file>', 'the whole body; - for stdin')
    .option('--paginate', 'all pages of a list, as one list')
    .option('-i, --include', 'show the status and the headers too')
    .addHelpText('after', API_HELP)
    .action(async (operation: string, flags: Flags) => {
      const cli = await getCli();
      if (operation === 'list') return listOperations(cli);
      const { route, input } = await callOf(operation, flags);
      if (flags.paginate) return printAll(cli, route, input);
      const response = await cli.client.request(route, input);
      if (flags.include) {
        cli.screen.print(`HTTP ${response.status}`);
        for (const [name, value] of response.headers) cli.screen.print(`${name}: ${value}`);
        cli.screen.print('');
      }
      await print(cli, response);
    });
}

const API_HELP = `
  $ siteyard api list                                   every operation, in a line each
  $ siteyard api listSites --paginate
  $ siteyard api getSite -f fqdn=blog.example.com
  $ siteyard api /site/blog.example.com -X PATCH -F debug_enabled=true
  $ siteyard api createTicket -f team_id=… -f subject=Help -F description=@question.txt

What each takes and answers: /docs of the platform.`;

interface Known {
  id: string;
  summary: string;
  method: string;
  path: string;
  effect: string;
  places: Record<string, ('params' | 'query' | 'body')[]>;
}

async function catalogue(): Promise<Known[]> {
  return (await import('../../../sdk/catalogue.json')).default as Known[];
}

async function listOperations({ screen }: Cli): Promise<void> {
  screen.list(
    await catalogue(),
    {
      Operation: ({ id }) => id,
      Effect: ({ effect }) => effect,
      Request: ({ method, path }) => `${method} ${path}`,
      What: ({ summary }) => summary,
    },
    { empty: '' },
  );
}

type Fields = Record<string, unknown>;
type Call = { params: Record<string, string>; query: Fields; body: Fields };

async function callOf(operation: string, flags: Flags): Promise<{ route: Route; input: RawInput }> {
  const fields: Fields = Object.fromEntries([
    ...flags.rawField.map((each) => split(each)),
    ...flags.field.map((each) => typed(split(each))),
  ]);
  const queryFields = Object.fromEntries(flags.query.map((each) => split(each)));
  const hasInput = flags.input !== undefined;
  const isPath = operation.includes('/');
  const method = flags.method ?? (hasInput || Object.keys(fields).length > 0 ? 'POST' : 'GET');
  const route = isPath ? routeOf(operation, method) : routeOfName(operation);
  requirePath(operation, route, fields);
  const { params, query, body } = isPath
    ? placedByPath(route, fields, hasInput)
    : await placedByName(operation, { ...fields, ...queryFields });
  const headers = Object.fromEntries(
    flags.header.map((each) => split(each, ':')).map(([name, value]) => [name.toLowerCase(), value.trim()]),
  );
  const input: RawInput = { headers, params, query: isPath ? { ...query, ...queryFields } : query };
  const type = headers['content-type'] ?? route.body ?? 'application/json';
  const inBody = Object.keys(body);
  if (hasInput && inBody.length > 0)
    throw new Stop(`${inBody.join(', ')} would be a part of the body, and --input is all of it.`);
  if (flags.input !== undefined) input.body = new Blob([await bytesOf(flags.input)], { type });
  else if (inBody.length > 0 || route.body) input.body = body;
  return { route, input };
}

const namesIn = ({ path }: Route) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

function requirePath(operation: string, route: Route, fields: Fields): void {
  const missing = namesIn(route).filter((name) => fields[name] === undefined);
  if (missing.length === 0) return;
  throw new Stop(`${operation} needs ${missing.join(' and ')}.`, {
    advice: `Say it with ${missing.map((name) => `-f ${name}=…`).join(' ')}`,
  });
}

/** What is called by its name takes the fields that it has, where it has them: the API would ignore any other, and do something else than was meant. */
async function placedByName(operation: string, fields: Fields): Promise<Call> {
  const known = (await catalogue()).find(({ id }) => id.toLowerCase() === operation.toLowerCase());
  const places = known?.places ?? {};
  const wrong = Object.keys(fields).filter((name) => !Object.hasOwn(places, name));
  if (wrong.length > 0)
    throw new Stop(`${operation} has no field ${wrong.join(', ')}.`, {
      advice: `It has: ${Object.keys(places).sort().join(', ') || 'none'}.`,
    });
  const call: Call = { params: {}, query: {}, body: {} };
  for (const [name, value] of Object.entries(fields))
    for (const place of places[name] ?? []) call[place][name] = place === 'params' ? String(value) : (value as never);
  return call;
}

/** Into the path, then the query of a GET, or the body; beside a whole body, into the query. */
function placedByPath(route: Route, fields: Fields, hasInput: boolean): Call {
  const names = namesIn(route);
  const params = Object.fromEntries(names.map((name) => [name, String(fields[name])]));
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  const isQuery = hasInput || route.method === 'GET' || route.method === 'DELETE';
  return { params, query: isQuery ? others : {}, body: isQuery ? {} : others };
}

function routeOf(path: string, method: string): Route {
  const whole = path.startsWith('/') ? path : `/${path}`;
  return {
    method: method.toUpperCase(),
    path: whole.startsWith('/f/') || whole === '/mcp' ? whole : `${PREFIX}${whole}`,
  };
}

function routeOfName(name: string): Route {
  const known: Record<string, Route> = ROUTES;
  const id = Object.keys(known).find((each) => each.toLowerCase() === name.toLowerCase());
  if (id) return known[id] as Route;
  const near = Object.keys(known).filter((each) => each.toLowerCase().includes(name.toLowerCase()));
  throw new Stop(`There is no operation ${name}.`, {
    advice: near.length > 0 ? `Did you mean ${near.slice(0, 5).join(', ')}?` : 'All of them: siteyard api list',
  });
}

const bytesOf = async (file: string) => new Uint8Array(file === '-' ? await readInput() : readFileSync(file));

function split(text: string, mark = '='): [string, string] {
  const at = text.indexOf(mark);
  if (at < 1) throw new Stop(`“${text}” is no field.`, { advice: `Write it as name${mark}value.` });
  const value = text.slice(at + 1);
  return [text.slice(0, at), value];
}

function typed([name, value]: [string, string]): [string, unknown] {
  if (value.startsWith('@')) return [name, readFileSync(value.slice(1), 'utf8')];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}

/** One list of all the results, however many pages they come in. */
async function printAll(cli: Cli, route: Route, input: RawInput): Promise<void> {
  const all: unknown[] = [];
  for (let page = 1; ; page++) {
    const response = await cli.client.request(route, { ...input, query: { size: 100, ...input.query, page } });
    const { results, next } = (await response.json()) as { results?: unknown[]; next?: string | null };
    if (!results) throw new Stop('This does not answer with pages; leave --paginate out.');
    all.push(...results);
    if (!next || results.length === 0) return cli.screen.json(all, true);
  }
}

async function print(cli: Cli, response: Response): Promise<void> {
  if (response.headers.get('content-type')?.includes('json'))
    return cli.screen.json((await response.json()) as object, true);
  for await (const part of response.body ?? []) process.stdout.write(part);
}
