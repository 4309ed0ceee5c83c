import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from './report.ts';

/**
 * What the command line takes to start, against Node doing nothing and against a bare program that makes the same request. CPU time, the best of
 * many runs taken in turn: whatever else a machine does only ever makes one longer.
 */
const ROUNDS = 30;
const GOAL = 1.5;
const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'cli/bin/siteyard.cjs');
const TOKEN = 'sy_bench';
const TIMED = `TIMEFORMAT='%3U %3S'; time "$@"`;

export async function run(): Promise<Report> {
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--config', 'cli/vite.config.ts', '--logLevel', 'error'],
    { cwd: ROOT },
  );
  const server = createServer(
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(SITES),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SITEYARD_URL: url,
    SITEYARD_TOKEN: TOKEN,
    NODE_COMPILE_CACHE: folder,
  };
  const bare = `require('node:http').get('${url}/f/api/v1/site', { headers: { authorization: 'Bearer ${TOKEN}' } }, (answer) => {
    let text = ''; answer.on('data', (part) => (text += part)).on('end', () => console.log(JSON.parse(text).results.map((site) => site.fqdn).join('\\n')));
  })`;
  const contenders = {
    nothing: ['-e', '0'],
    request: ['-e', bare],
    help: [PROGRAM, '--help'],
    list: [PROGRAM, 'site', 'list'],
  };
  const best = {
    nothing: Number.POSITIVE_INFINITY,
    request: Number.POSITIVE_INFINITY,
    help: Number.POSITIVE_INFINITY,
    list: Number.POSITIVE_INFINITY,
  };
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, args] of Object.entries(contenders) as [keyof typeof best, string[]][])
        best[name] = Math.min(best[name], await timeOf(args, env));
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const help = best.help / best.nothing;
  const list = best.list / best.request;
  return {
    name: 'bench/cli',
    intro: `The start of the command line: CPU time, the best of ${ROUNDS} runs each, taken in turn.`,
    tables: [
      {
        head: ['what', 'peer', 'peer takes', 'it takes', 'ratio'],
        rows: [
          ['siteyard --help', 'node -e 0', ms(best.nothing), ms(best.help), help.toFixed(2)],
          ['siteyard site list', 'node -e with the same request', ms(best.request), ms(best.list), list.toFixed(2)],
        ],
      },
    ],
    goals: [
      { text: `siteyard --help takes at most ${GOAL} times as long as node -e 0`, met: help <= GOAL },
      {
        text: `siteyard site list takes at most ${GOAL} times as long as node -e 0 with the request`,
        met: list <= GOAL,
      },
    ],
  };
}

/** Its CPU time, in user and kernel mode: bash is told by the kernel what Node is not. */
function timeOf(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', TIMED, 'bash', process.execPath, ...args], { env });
    let said = '';
    child.stdout.resume();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.on('close', (code) => {
      const [user, system] = said.trim().split(' ').map(Number);
      if (code === 0) resolve(((user as number) + (system as number)) * 1000);
      else reject(new Error(`${args.join(' ')}: ${said}`));
    });
  });
}

/** A page of sites, as heavy as a real one. */
const SITES = JSON.stringify({
  count: 20,
  limit: 50,
  offset: 0,
  next: null,
  previous: null,
  results: Array.from({ length: 20 }, (_, at) => ({
    fqdn: `site-${at}.example.com`,
    team: { name: 'Home', is_active: true, is_expired: false, about: 'x'.repeat(1_500) },
    busy: null,
    is_sleeping: at % 2 === 0,
    current_storage: at * 1_000_000,
    created_at: '2026-11-17T14:05:00.000Z',
    properties: { about: 'x'.repeat(1_500) },
  })),
});
