import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as openRequest, type RequestOptions } from 'node:http';
import { request as openSecureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ownCertificate } from '#testkit/data/own-certificate.ts';
import { endAll, ensureTools, makePage, type Peer, runH2load, runWrk, startNginx, startProgram } from './edge-peers.ts';
import { median } from './load.ts';
import { cpuSecondsOf } from './proc.ts';
import type { Goal, Report, Table } from './report.ts';

/**
 * What a visitor costs at the edge, against nginx with the same job on the same machine in the same run: a cached page
 * (`proxy_cache`), a static file (`sendfile`), and a request that has to go to the site (`proxy_pass`), where what the
 * proxy itself adds is counted, and the first two over TLS. Figures are requests per CPU second of the one process that serves. What Node takes for
 * an answer from memory without any of our code is measured between them.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const WARM_UPS = 2;
const ROUND_S = 2;
const GZIP = 'Accept-Encoding: gzip';
const HOST = 'Host: blog.example.org';

interface Case {
  name: string;
  isSecure?: boolean;
  /** By HTTP/2, as browsers come over TLS. */
  isHttp2?: boolean;
  path: string;
  headers: string[];
}

/** With the key of most certificates, on P-256, for both. */
const HANDSHAKES = 'TLS, a connection for each tiny file';

interface Peers {
  edge: Peer;
  nginx: Peer;
}

const CASES: Case[] = [
  { name: 'cached page, compressed', path: '/page', headers: [HOST, GZIP] },
  { name: 'cached page, plain', path: '/page', headers: [HOST] },
  { name: 'static file, script', path: '/wp-content/script.js?ver=1', headers: [HOST, GZIP] },
  { name: 'static file, picture', path: '/wp-content/image.jpg', headers: [HOST] },
  { name: 'static file, tiny', path: '/wp-content/icon.png', headers: [HOST] },
  { name: 'TLS, cached page, compressed', path: '/page', headers: [HOST, GZIP], isSecure: true },
  { name: 'TLS, cached page, plain', path: '/page', headers: [HOST], isSecure: true },
  { name: 'TLS, static file, picture', path: '/wp-content/image.jpg', headers: [HOST], isSecure: true },
  { name: 'TLS, static file, tiny', path: '/wp-content/icon.png', headers: [HOST], isSecure: true },
  { name: 'HTTP/2, cached page, compressed', path: '/page', headers: [HOST, GZIP], isSecure: true, isHttp2: true },
  {
    name: 'HTTP/2, static file, picture',
    path: '/wp-content/image.jpg',
    headers: [HOST],
    isSecure: true,
    isHttp2: true,
  },
  { name: 'HTTP/2, static file, tiny', path: '/wp-content/icon.png', headers: [HOST], isSecure: true, isHttp2: true },
  { name: HANDSHAKES, path: '/wp-content/icon.png', headers: [HOST, 'Connection: close'], isSecure: true },
  { name: 'uncached, echo', path: '/echo', headers: [HOST] },
  { name: 'uncached, whole page', path: '/fresh', headers: [HOST] },
];

export async function run(): Promise<Report> {
  ensureTools();
  const dir = mkdtempSync(join(tmpdir(), 'siteyard-edge-bench-'));
  const children: ChildProcess[] = [];
  try {
    const page = makePage();
    const [site, content, core] = ['site.sock', 'content', 'core'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [content, core]) mkdirSync(folder);
    writeFileSync(join(dir, 'page.html'), page);
    const script = readFileSync(join(import.meta.dirname, '../node_modules/uplot/dist/uPlot.iife.min.js'));
    writeFileSync(join(content, 'script.js'), script);
    writeFileSync(join(content, 'script.js.gz'), gzipSync(script));
    // The page's text stands for pictures: what matters is the size.
    writeFileSync(join(content, 'image.jpg'), page.slice(0, 16 * 1024));
    writeFileSync(join(content, 'icon.png'), page.slice(0, 256));
    const { chain, key: keyText } = ownCertificate('localhost');
    const [key, certificate] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
    writeFileSync(key, keyText, { mode: 0o600 });
    writeFileSync(certificate, chain);
    await startProgram(children, 'edge-site.ts', [site, join(dir, 'page.html')]);
    const server = await startProgram(children, 'edge-server.ts', [site, content, core, key, certificate]);
    const [port = 0, securePort = 0] = server.ports;
    const peers = {
      edge: { port, securePort, pid: server.pid },
      nginx: await startNginx(children, { dir, site, files: content, key, certificate }),
    };
    const floor = await startProgram(children, 'edge-floor.ts', [join(content, 'icon.png'), key, certificate]);
    const sizes = await compareAnswers(peers);
    return report(await measure(peers, floor), page.length, sizes);
  } finally {
    await endAll(children);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Both must answer the same before anything is measured. Asked a few times: compressed forms are made when asked for. */
async function compareAnswers({ edge, nginx }: Peers): Promise<Map<Case, number>> {
  const sizes = new Map<Case, number>();
  for (const each of CASES) {
    for (let tries = 0; tries < 3; tries++) {
      await ask(edge, each);
      await ask(nginx, each);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const [ours, theirs] = [await ask(edge, each), await ask(nginx, each)];
    assert.deepEqual([ours.encoding, ours.cache], [theirs.encoding, theirs.cache], each.name);
    assert.ok(ours.content.equals(theirs.content), `${each.name}: the peers answer different things`);
    sizes.set(each, ours.sizeBytes);
  }
  return sizes;
}

interface Seen {
  encoding: string | undefined;
  cache: boolean;
  content: Buffer;
  sizeBytes: number;
}

function ask({ port, securePort }: Peer, { path, headers, isSecure = false }: Case): Promise<Seen> {
  const named = Object.fromEntries(headers.map((line) => line.split(': ')));
  return new Promise((resolve, reject) => {
    const open = isSecure ? openSecureRequest : openRequest;
    const secure = { servername: 'localhost', rejectUnauthorized: false };
    const options: RequestOptions = {
      port: isSecure ? securePort : port,
      host: '127.0.0.1',
      path,
      headers: named,
      agent: false,
    };
    const request = open({ ...options, ...secure }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const encoding = response.headers['content-encoding'];
      resolve({
        encoding,
        cache: response.headers['x-cache'] === 'HIT',
        content: encoding === 'gzip' ? gunzipSync(body) : body,
        sizeBytes: body.length,
      });
    });
    request.once('error', reject).end();
  });
}

type Samples = Map<Case, Record<keyof Peers, number[]>>;

/** What Node takes for the tiny file from memory, in the order of the ports of edge-floor.ts. */
const FLOORS: Pick<Case, 'name' | 'isSecure' | 'isHttp2'>[] = [
  { name: 'node:http' },
  { name: 'node:https', isSecure: true },
  { name: 'node:http2, streams', isSecure: true, isHttp2: true },
  { name: 'a bare connection' },
  { name: 'a bare connection, TLS', isSecure: true },
];

async function measure(
  peers: Peers,
  floor: { ports: number[]; pid: number },
): Promise<{ samples: Samples; floors: number[][] }> {
  const floors = FLOORS.map((): number[] => []);
  const samples = new Map(CASES.map((each) => [each, { edge: [] as number[], nginx: [] as number[] }]));
  // The first rounds warm up the compilers; on a busy machine one is too short for that.
  for (let round = 1 - WARM_UPS; round <= ROUNDS; round++) {
    for (const each of CASES) {
      for (const name of ['edge', 'nginx'] as const) {
        const { port, securePort, pid } = peers[name];
        const figure = await perCpuSecond(pid, each.isSecure ? securePort : port, each);
        if (round > 0) samples.get(each)?.[name].push(figure);
      }
    }
    for (const [index, port] of floor.ports.entries()) {
      const figure = await perCpuSecond(floor.pid, port, { path: '/', headers: [HOST], ...FLOORS[index] });
      if (round > 0) floors[index]?.push(figure);
    }
  }
  return { samples, floors };
}

async function perCpuSecond(
  pid: number,
  port: number,
  { path, headers, isSecure, isHttp2 }: Omit<Case, 'name'>,
): Promise<number> {
  const before = cpuSecondsOf(pid);
  const requests = await (isHttp2 ? runH2load : runWrk)(
    `${isSecure ? 'https' : 'http'}://localhost:${port}${path}`,
    headers,
    ROUND_S,
  );
  return requests / (cpuSecondsOf(pid) - before);
}

function report(
  { samples, floors }: { samples: Samples; floors: number[][] },
  pageBytes: number,
  sizes: Map<Case, number>,
): Report {
  const goals: Goal[] = [];
  const table: Table = {
    head: ['requests per CPU second', 'bytes', 'Siteyard edge', 'nginx', 'to nginx', 'CPU per request to nginx'],
    rows: [],
  };
  for (const [each, { edge, nginx }] of samples) {
    const ratio = median(edge.map((value, round) => value / (nginx[round] ?? Number.NaN)));
    table.rows.push([
      each.name,
      String(sizes.get(each)),
      median(edge).toFixed(0),
      median(nginx).toFixed(0),
      ratio.toFixed(2),
      `${(1 / ratio).toFixed(2)} x`,
    ]);
    const wanted = each.name.startsWith('uncached')
      ? `at most 2 x the CPU of nginx (${(1 / ratio).toFixed(2)} x)`
      : `at least 0.5 of nginx (${ratio.toFixed(2)})`;
    goals.push({ text: `${each.name}: ${wanted}`, met: ratio >= 0.5 });
  }
  const tiny = (name: string) => median([...samples].find(([each]) => each.name === name)?.[1].nginx ?? []);
  const floorTable: Table = { head: ['the tiny file, from memory', 'requests per CPU second', 'to nginx'], rows: [] };
  for (const [index, { name, isSecure, isHttp2 }] of FLOORS.entries()) {
    const figure = median(floors[index] ?? []);
    const way = isHttp2 ? 'HTTP/2, ' : isSecure ? 'TLS, ' : '';
    const nginx = tiny(`${way}static file, tiny`);
    floorTable.rows.push([name, figure.toFixed(0), (figure / nginx).toFixed(2)]);
  }
  return {
    name: 'bench/edge',
    intro:
      `A page of ${Math.round(pageBytes / 1024)} KB, 16 connections, medians of ${ROUNDS} rounds of ${ROUND_S} s in turns. ` +
      'nginx gets its pages compressed from the site and its files beside their gzip form, so that neither peer compresses while it is measured.',
    tables: [table, floorTable],
    goals,
  };
}
