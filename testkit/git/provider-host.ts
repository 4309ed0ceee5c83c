import { type IncomingMessage, ServerResponse } from 'node:http';
import { type HttpsHost, serveRepositories, startHttps } from './https-host.ts';

/** A Git host on loopback that answers as GitHub, GitLab and Gitea do, each under its own paths, and serves repositories to whoever has the token. */
export interface ProviderHost extends HttpsHost {
  token: string;
  /** Every address asked for, with what came along. */
  asked: { path: string; headers: IncomingMessage['headers'] }[];
  /** Whether whoever has the token may push as well. */
  takesPushes: boolean;
  /** The next push is taken, and whoever pushed is not told. */
  losesNextAnswer: boolean;
  /** How the next answers go; normal unless set. */
  mood: 'normal' | 'silent' | 'broken' | 'huge' | 'tired' | { says: unknown };
}

export interface HostedRepository {
  name: string;
  branches: string[];
}

const LOGIN = 'ada';

export async function startProviderHost(
  token: string,
  repositories: readonly HostedRepository[],
  folder = '/nonexistent',
): Promise<ProviderHost> {
  const asked: ProviderHost['asked'] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    asked.push({ path: request.url ?? '', headers: request.headers });
    if (host.mood === 'silent') return;
    if (host.mood === 'broken') return void response.writeHead(500).end('<html>oops</html>');
    if (host.mood === 'huge') return void response.end(Buffer.alloc(6_000_000, ' '));
    if (host.mood === 'tired') return void response.writeHead(403, { 'x-ratelimit-remaining': '0' }).end('{}');
    if (typeof host.mood === 'object') return answer(response, 200, host.mood.says);
    const url = new URL(request.url ?? '/', host.url);
    const [, dialect, path] = /^\/api\/(v3|v4|v1)(\/.*)$/.exec(url.pathname) ?? [];
    if (!dialect || !path) return serveGuarded(request, response);
    const { authorization, 'private-token': privateToken } = request.headers;
    const given = {
      v3: authorization === `Bearer ${token}`,
      v4: privateToken === token,
      v1: authorization === `token ${token}`,
    };
    if (!given[dialect as 'v1']) return answer(response, 401, { message: 'Bad credentials' });
    const found = lookUp(dialect, path);
    if (found === undefined) return answer(response, 404, { message: 'Not Found' });
    if (!Array.isArray(found)) return answer(response, 200, found);
    answerPage(response, url, found);
  };
  const serveGuarded = (request: IncomingMessage, response: ServerResponse) => {
    const [user, password] = basicOf(request);
    if (user && password === token) {
      const isLost = host.losesNextAnswer && request.method === 'POST' && request.url?.endsWith('/git-receive-pack');
      if (isLost) host.losesNextAnswer = false;
      const answer = isLost ? lostAnswer(request) : response;
      return serveRepositories(folder, request, answer, host.takesPushes ? user : undefined);
    }
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  };
  const lookUp = (dialect: string, path: string): object | undefined => {
    if (path === '/user') return dialect === 'v4' ? { id: 1, username: LOGIN } : { id: 1, login: LOGIN };
    const gitUrl = (name: string) => `${host.url}/${name}.git`;
    const byName = repositories.map(({ name }, id) => ({
      id,
      full_name: name,
      default_branch: 'main',
      ...(dialect === 'v4' ? { http_url_to_repo: gitUrl(name) } : { clone_url: gitUrl(name) }),
    }));
    if (path === (dialect === 'v4' ? '/projects' : '/user/repos')) return byName;
    const named = dialect === 'v4' ? /^\/projects\/(\d+)\/repository\/branches$/ : /^\/repos\/(.+)\/branches$/;
    const key = named.exec(path)?.[1];
    const of = repositories.find(({ name }, id) => key === (dialect === 'v4' ? String(id) : name));
    return of?.branches.map((name) => ({ name }));
  };
  const host: ProviderHost = {
    ...(await startHttps(listener)),
    token,
    asked,
    mood: 'normal',
    takesPushes: true,
    losesNextAnswer: false,
  };
  return host;
}

function lostAnswer(request: IncomingMessage): ServerResponse {
  const answer = new ServerResponse(request);
  answer.end = () => {
    request.socket.destroy();
    return answer;
  };
  return answer;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function answerPage(response: ServerResponse, url: URL, all: object[]): void {
  const size = Number(url.searchParams.get('per_page') ?? url.searchParams.get('limit') ?? 30);
  const page = Number(url.searchParams.get('page') ?? 1);
  if (page * size < all.length) {
    url.searchParams.set('page', String(page + 1));
    response.setHeader('link', `<${url.href}>; rel="next", <${url.href}>; rel="last"`);
  }
  answer(response, 200, all.slice((page - 1) * size, page * size));
}

function basicOf({ headers }: IncomingMessage): string[] {
  const encoded = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString().split(':');
}
