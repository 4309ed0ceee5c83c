import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EVENTS, EVENTS_OF_LARGEST, seed, TEAMS } from './api-data.ts';
import { median, runLoad, toRequest } from './load.ts';
import { cpuSecondsOf, cpuSecondsOfTree } from './proc.ts';
import type { Goal, Report, Table } from './report.ts';
import { type Bench, startBench } from './servers.ts';

/**
 * What the way of a request costs (sign-in, policy, limits, validation, serialisation, headers, metrics), as requests
 * per second of the server's CPU. The peers answer the same: a bare node:http server from memory, and a plain Fastify
 * route with the same SQL and nobody to sign in. All take turns in the same run, so that a noisy machine hits all.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const ROUND_MS = 1500;
const CONNECTIONS = 8;
const PAGE_SIZE = 50;
const PASSWORD = 'a password for the bench';

interface Peer {
  name: 'siteyard' | 'plain' | 'bare';
  pid: number;
  port: number;
  request: Buffer;
}

interface Case {
  name: string;
  peers: Peer[];
  read: boolean;
}

interface Sample {
  perCpu: number;
  perCpuWithPostgres: number;
}

export async function run(): Promise<Report> {
  const bench = await startBench();
  try {
    const service = await bench.startService();
    const caller = await signUp(service.url);
    const { largestTeamId } = await seed(bench.databaseUrl, caller.id);
    const cases = await prepareCases(bench, service, caller, largestTeamId);
    const samples = await measure(bench, cases);
    const [firstPage, lastPage] = await compareLatency(cases, ['events, page 1', 'events, last page']);
    const queries = await countQueries(bench, caller, largestTeamId);
    return report(cases, samples, { firstPage, lastPage }, queries);
  } finally {
    await bench.stopAll();
  }
}

interface Caller {
  id: string;
  headers: Record<string, string>;
}

async function signUp(url: string): Promise<Caller> {
  const email = 'caller@bench.example.org';
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/f/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Record<string, string>;
  };
  const user = await post('/register', { email, password: PASSWORD, first_name: 'The', last_name: 'Caller' });
  const grant = await post('/token', { username: email, password: PASSWORD });
  return { id: user.id as string, headers: { authorization: `Bearer ${grant.access_token}` } };
}

async function prepareCases(
  bench: Bench,
  service: { port: number; pid: number },
  caller: Caller,
  teamId: string,
): Promise<Case[]> {
  const lastPage = EVENTS_OF_LARGEST / PAGE_SIZE;
  const ticket = { team_id: teamId, subject: 'The dashboard is slow', description: 'It takes two seconds to open.' };
  const wanted = [
    { name: 'teams', method: 'GET', path: `/team?size=${PAGE_SIZE}` },
    { name: 'events, page 1', method: 'GET', path: `/team/${teamId}/event?size=${PAGE_SIZE}` },
    { name: 'events, last page', method: 'GET', path: `/team/${teamId}/event?size=${PAGE_SIZE}&page=${lastPage}` },
    { name: 'open a ticket', method: 'POST', path: '/support/ticket', body: ticket },
  ];
  const plain = await bench.startProgram('plain-server.ts', [bench.databaseUrl, caller.id]);
  const files: string[] = [];
  for (const [index, { name, method, path, body }] of wanted.entries()) {
    const ours = await fetchText(service.port, `/f/api/v1${path}`, method, caller.headers, body);
    const theirs = await fetchText(plain.port, path, method, {}, body);
    // Said in one line: two pages of JSON would help nobody.
    assert.ok(
      isDeepStrictEqual(comparable(theirs), comparable(ours)),
      `bench/plain-server.ts answers something else for ${name}`,
    );
    const file = join(bench.dir, `${index}.json`);
    writeFileSync(file, ours);
    files.push(file);
  }
  const bare = await bench.startProgram('bare-server.ts', files);
  return wanted.map(({ name, method, path, body }, index) => ({
    name,
    read: method === 'GET',
    peers: [
      { name: 'siteyard', ...service, request: toRequest(method, `/f/api/v1${path}`, caller.headers, body) },
      { name: 'plain', ...plain, request: toRequest(method, path, {}, body) },
      { name: 'bare', ...bare, request: toRequest(method, `/${index}`, {}, body) },
    ],
  }));
}

async function fetchText(
  port: number,
  path: string,
  method: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

/** Links name the server, and a ticket has its own id and time; the rest must be equal. */
function comparable(text: string): unknown {
  const { next, previous, ...rest } = JSON.parse(text);
  return 'subject' in rest ? { ...rest, id: '', created_at: '' } : { ...rest, next: !!next, previous: !!previous };
}

async function measure(bench: Bench, cases: Case[]): Promise<Map<Peer, Sample[]>> {
  const samples = new Map<Peer, Sample[]>();
  // The first round warms up the compilers and the caches.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { peers } of cases) {
      for (const peer of peers) {
        const before = { own: cpuSecondsOf(peer.pid), postgres: cpuSecondsOfTree(bench.postgresPid) };
        const { requests } = await runLoad({ ...peer, connections: CONNECTIONS, durationMs: ROUND_MS });
        const own = cpuSecondsOf(peer.pid) - before.own;
        const postgres = peer.name === 'bare' ? 0 : cpuSecondsOfTree(bench.postgresPid) - before.postgres;
        const sample = { perCpu: requests / own, perCpuWithPostgres: requests / (own + postgres) };
        if (round > 0) samples.set(peer, [...(samples.get(peer) ?? []), sample]);
      }
    }
  }
  return samples;
}

/** Median times of one request after another, in turns. */
async function compareLatency(cases: Case[], names: string[]): Promise<number[]> {
  const peers = names.map((name) => cases.find((each) => each.name === name)?.peers[0] as Peer);
  const times: number[][] = peers.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, peer] of peers.entries()) {
      const { medianMs } = await runLoad({ ...peer, connections: 1, durationMs: 500 });
      times[index]?.push(medianMs);
    }
  }
  return times.map(median);
}

interface QueryCounts {
  first: string[];
  repeated: string[];
}

/** The statements that one read sends with nothing remembered, and right after. */
async function countQueries(bench: Bench, caller: Caller, teamId: string): Promise<QueryCounts> {
  const file = join(bench.dir, 'queries.log');
  const { port } = await bench.startService({ QUERY_LOG_FILE: file, ROLE: 'api' }, [
    '--import',
    join(import.meta.dirname, 'query-log.ts'),
  ]);
  const statementsOf = async () => {
    writeFileSync(file, '');
    await fetchText(port, `/f/api/v1/team/${teamId}/event`, 'GET', caller.headers, undefined);
    return readFileSync(file, 'utf8').trim().split('\n');
  };
  return { first: await statementsOf(), repeated: await statementsOf() };
}

const isSignIn = (statement: string) => statement.includes('credentials');

function report(
  cases: Case[],
  samples: Map<Peer, Sample[]>,
  { firstPage = Number.NaN, lastPage = Number.NaN },
  queries: QueryCounts,
): Report {
  const of = (peer: Peer | undefined, figure: keyof Sample) =>
    (samples.get(peer as Peer) ?? []).map((sample) => sample[figure]);
  const ratio = (one: number[], other: number[]) =>
    median(one.map((value, round) => value / (other[round] ?? Number.NaN)));
  const goals: Goal[] = [];
  const table: Table = {
    head: [
      'requests per CPU second',
      'Siteyard',
      'with Postgres',
      'plain Fastify',
      'bare node:http',
      'to plain',
      'to plain, with Postgres',
      'to bare',
    ],
    rows: [],
  };
  for (const { name, peers, read } of cases) {
    const [ours, plain, bare] = peers;
    const toPlain = ratio(of(ours, 'perCpu'), of(plain, 'perCpu'));
    const toPlainWithPostgres = ratio(of(ours, 'perCpuWithPostgres'), of(plain, 'perCpuWithPostgres'));
    table.rows.push([
      name,
      median(of(ours, 'perCpu')).toFixed(0),
      median(of(ours, 'perCpuWithPostgres')).toFixed(0),
      median(of(plain, 'perCpu')).toFixed(0),
      median(of(bare, 'perCpu')).toFixed(0),
      toPlain.toFixed(2),
      toPlainWithPostgres.toFixed(2),
      ratio(of(ours, 'perCpu'), of(bare, 'perCpu')).toFixed(2),
    ]);
    if (read)
      goals.push({ text: `${name}: at least 0.5 of plain Fastify (${toPlain.toFixed(2)})`, met: toPlain >= 0.5 });
  }
  const events = (name: string) => of(cases.find((each) => each.name === name)?.peers[0], 'perCpuWithPostgres');
  const cpuRatio = ratio(events('events, page 1'), events('events, last page'));
  const latencyRatio = lastPage / firstPage;
  goals.push({
    text:
      `last of ${EVENTS_OF_LARGEST / PAGE_SIZE} pages of events at most 5 x page 1: latency ${latencyRatio.toFixed(2)} x ` +
      `(${firstPage.toFixed(1)} and ${lastPage.toFixed(1)} ms), CPU with Postgres ${cpuRatio.toFixed(2)} x`,
    met: latencyRatio <= 5 && cpuRatio <= 5,
  });
  const signIns = [queries.first, queries.repeated].map((statements) => statements.filter(isSignIn).length);
  goals.push({
    text:
      `sign-in takes at most one query, none when repeated: ${signIns.join(' and ')} ` +
      `(of ${queries.first.length} and ${queries.repeated.length} in all)`,
    met: (signIns[0] ?? 2) <= 1 && signIns[1] === 0,
  });
  return {
    name: 'bench/api',
    intro: `${TEAMS} teams, ${EVENTS} events, ${EVENTS_OF_LARGEST} of them in one team; pages of ${PAGE_SIZE}; medians of ${ROUNDS} rounds in turns.`,
    tables: [table],
    goals,
  };
}
