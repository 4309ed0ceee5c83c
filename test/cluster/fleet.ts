import { randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type Client, createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { eventually } from '#testkit/expect.ts';
import { renderChart } from '../../scripts/chart/chart.ts';
import { apply, kubectl, pods } from './kube.ts';
import type { Surroundings } from './surroundings.ts';

export const HOME = 'siteyard';
export const SITES = 'siteyard-sites';
const NODES = ['10.99.0.11', '10.99.0.12'];
const PANEL = 'panel.test';
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'the password of the operator' };
const PORTS = { api: 30080, edge: 30081 };
const DOOR = '10.96.0.44';
/** What runs sites in their pods. Native PHP makes namespaces, which its nodes have to allow. */
export const DRIVER = process.env.RUNTIME ?? 'php-wasm';
const ON_DRIVER =
  DRIVER === 'fpm'
    ? { config: { RUNTIME: 'fpm', SANDBOX: 'auto' }, sites: { seccomp: 'localhost/siteyard.json' } }
    : { config: {}, sites: {} };

interface Answer {
  status: number;
  text: string;
  headers: IncomingHttpHeaders;
  ms: number;
}

interface Shape {
  /** The chart of an older checkout, in place of this one's. */
  render?: typeof renderChart;
  /** Also what pods of before decision 0071 need: they ask the database themselves, with the platform's own keys. */
  isForOlderPods?: boolean;
}

/** The chart as an operator of a cluster of these two nodes would set it. */
function valuesOf(
  surroundings: Surroundings,
  tag: string,
  sites: object,
  { isForOlderPods = false }: Shape,
): Record<string, unknown> {
  const keys = {
    DATABASE_URL: surroundings.databaseUrl,
    SECRET_KEY: 'a key of the test cluster, which lasts for one run',
    AWS_ACCESS_KEY_ID: 'the-access-key',
    AWS_SECRET_ACCESS_KEY: 'the-secret-key',
  };
  const small = { resources: { requests: { cpu: '20m', memory: '160Mi' }, limits: { memory: '1Gi' } } };
  return {
    image: `localhost/siteyard:${tag}`,
    imagePullPolicy: 'Never',
    config: {
      BASE_URL: `http://${PANEL}`,
      SITE_DOMAIN: 'sites.test',
      BACKUP_STORE: 's3://bucket/fleet',
      AWS_ENDPOINT_URL_S3: 'http://10.99.0.1:9000',
      AWS_REGION: 'any',
      RATE_LIMIT_FACTOR: '0',
      WORDPRESS_SOURCE: 'npm',
      DATABASE_POOL_SIZE: '4',
      STANDBY_WORKERS: '0',
      SHIPPED_TEMPLATES: 'off',
      ...ON_DRIVER.config,
    },
    secret: {
      create: true,
      variables: { ...keys, METRICS_TOKEN: 'the token of the test cluster', ...ADMIN },
      siteVariables: isForOlderPods ? keys : {},
    },
    // Nobody knows names there.
    sites: { storageClass: 'network', platformDoor: `${DOOR}:7444`, ...ON_DRIVER.sites, ...sites },
    api: { replicas: 2, ...small, service: { type: 'NodePort' } },
    worker: { replicas: 2, ...small },
    edge: {
      replicas: 2,
      ...small,
      service: { type: 'NodePort', externalTrafficPolicy: 'Cluster' },
      autoscaling: { enabled: false },
    },
    keeper: { ...small, storage: '1Gi', storageClass: 'network' },
    apiVersions: { podDisruptionBudget: 'policy/v1beta1', horizontalPodAutoscaler: 'autoscaling/v2beta2' },
    networkPolicy: {
      siteEgress: [9000, ...(isForOlderPods ? [5432] : [])].map((port) => ({ cidr: '10.99.0.1/32', port })),
    },
  };
}

/** The platform on the cluster, from outside: what operators, people and visitors do. */
export class Fleet {
  api: Client = createClient({ baseUrl: '' });
  teamId = '';
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Installs it, or brings it to another image, or sites to something else. */
  async install(tag: string, sites: object = {}, shape: Shape = {}): Promise<void> {
    const { render = renderChart } = shape;
    const objects = render({ name: 'siteyard', namespace: HOME }, valuesOf(this.#surroundings, tag, sites, shape));
    // A load balancer's work is done by the ports of the nodes here, which are the same in every run.
    for (const object of objects as { kind: string; metadata: { name: string }; spec?: { ports: object[] } }[]) {
      const role = object.metadata.name.replace('siteyard-', '');
      if (object.kind === 'Service' && (role === 'api' || role === 'edge'))
        object.spec = {
          ...object.spec,
          ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 'http', nodePort: PORTS[role] }],
        };
      if (object.kind === 'Service' && role === 'worker') Object.assign(object.spec ?? {}, { clusterIP: DOOR });
    }
    const first = objects.filter(({ kind }) => kind === 'Namespace');
    await apply([
      namespaceOf(HOME),
      ...first.map((each) => ({ ...each, metadata: { ...namespaceOf(each.metadata.name).metadata } })),
    ]);
    await apply(objects.filter(({ kind }) => kind !== 'Namespace'));
  }

  async isRolledOut(seconds: number): Promise<void> {
    for (const role of [
      'deployment/siteyard-keeper',
      'deployment/siteyard-api',
      'deployment/siteyard-worker',
      'deployment/siteyard-edge',
    ])
      await kubectl('rollout', 'status', '-n', HOME, role, `--timeout=${seconds}s`, `--request-timeout=${seconds}s`);
    // Those of before do their work to the end, as they were set.
    await eventually(async () =>
      (await pods(HOME, 'app.kubernetes.io/name=siteyard')).every(({ metadata }) => !metadata.deletionTimestamp),
    );
  }

  /** Signs in as the operator, with a team on the largest plan. */
  async signIn(): Promise<void> {
    const baseUrl = `http://${PANEL}`;
    const fetchThere = (url: string, init: RequestInit) => this.#fetch(url, init);
    const anonymous = createClient({ baseUrl, fetch: fetchThere });
    const { access_token: token } = await anonymous.signIn({
      body: { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
    });
    this.api = createClient({ baseUrl, token, fetch: fetchThere });
    this.teamId = (await this.api.listTeams()).results[0]?.id as string;
    await this.#surroundings.query(
      `update teams set plan_type_name = 'business', additional_sites = 1000 where id = '${this.teamId}'`,
    );
  }

  async createSite(name = `s-${randomBytes(4).toString('hex')}`): Promise<string> {
    const { fqdn } = await this.api.createSite({
      wait: 60,
      body: { ...CMS, fqdn: `${name}.sites.test`, team_id: this.teamId },
    });
    // On a busy machine it takes longer than an answer may wait for.
    await eventually(async () => (await this.api.getSite({ params: { fqdn } })).busy === null, 300_000);
    return fqdn;
  }

  async idOf(fqdn: string): Promise<string> {
    const [row] = await this.#surroundings.query(`select id from sites where fqdn = '${fqdn}'`);
    return String(row?.id);
  }

  /** A visitor, whose name server knows both nodes: where nobody takes the connection, the other one is tried. */
  async visit(fqdn: string, path = '/', timeoutMs = 90_000): Promise<Answer> {
    const begunMs = performance.now();
    let refused: unknown;
    for (const node of NODES.toSorted(() => Math.random() - 0.5)) {
      try {
        const answer = await ask(node, PORTS.edge, fqdn, path, 'GET', {}, undefined, timeoutMs);
        return { ...answer, ms: performance.now() - begunMs };
      } catch (error) {
        refused = error;
      }
    }
    throw refused;
  }

  /** What the SDK sends, to whichever node answers. */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const { pathname, search } = new URL(url);
    const headers = init.headers as Record<string, string>;
    const body =
      typeof init.body === 'string'
        ? init.body
        : init.body instanceof Blob
          ? Buffer.from(await init.body.arrayBuffer())
          : init.body?.toString();
    let refused: unknown;
    for (const node of NODES) {
      try {
        const got = await ask(node, PORTS.api, PANEL, pathname + search, init.method ?? 'GET', headers, body, 120_000);
        const shown = Object.entries(got.headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value]] : [],
        );
        return new Response([204, 304].includes(got.status) ? null : got.text, {
          status: got.status,
          headers: Object.fromEntries(shown),
        });
      } catch (error) {
        refused = error;
      }
    }
    throw refused;
  }
}

/** Namespaces have this label by themselves from Kubernetes 1.21 on. */
function namespaceOf(name: string) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } };
}

function ask(
  host: string,
  port: number,
  name: string,
  path: string,
  method: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
  timeoutMs: number,
): Promise<Omit<Answer, 'ms'>> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const asked = request(
      { host, port, path, method, headers: { ...headers, ...length, host: name }, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() }),
        );
      },
    );
    const unheard = setTimeout(
      () => asked.destroy(new Error(`${name}${path}: no answer in ${timeoutMs} ms`)),
      timeoutMs,
    );
    const unreached = setTimeout(() => asked.destroy(new Error(`${host} takes no connection`)), 2_000);
    asked.on('socket', (socket) => socket.once('connect', () => clearTimeout(unreached)));
    asked.on('error', reject).on('close', () => {
      clearTimeout(unheard);
      clearTimeout(unreached);
    });
    asked.end(body);
  });
}
