import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { eventually } from '../expect.ts';

const ROOT = join(import.meta.dirname, '../..');
const UNPACKED = join(ROOT, '.cache/prometheus/usr/bin');

export interface Prometheus {
  /** An answer's `data`; throws where Prometheus refuses, with its reason. */
  // biome-ignore lint/suspicious/noExplicitAny: each path of its API answers another shape
  ask(path: string, parameters?: Record<string, string>): Promise<any>;
  stop(): Promise<void>;
}

/** A real Prometheus with the configuration that we ship, but for what it scrapes, how often, and the token. */
export async function startPrometheus(options: {
  folder: string;
  port: number;
  target: string;
  token: string;
}): Promise<Prometheus> {
  const { folder, port } = options;
  const config = await writeConfig(options);
  const child = spawn(
    findProgram('prometheus'),
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'inherit' },
  );
  const ask: Prometheus['ask'] = async (path, parameters = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}?${new URLSearchParams(parameters)}`);
    const answer = (await response.json()) as { status: string; error?: string; data: unknown };
    if (answer.status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${answer.error}`);
    return answer.data;
  };
  const isReady = () => fetch(`http://127.0.0.1:${port}/-/ready`).then(({ ok }) => ok || ended(child));
  await eventually(() => isReady().catch(() => ended(child)), 30_000);
  if (ended(child)) throw new Error(`Prometheus ended with ${child.exitCode}`);
  return {
    ask,
    async stop() {
      if (ended(child)) return;
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exit;
    },
  };
}

const ended = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/** Returns the path of the configuration, beside which lie the rules and the token, as on an operator's machine. */
async function writeConfig({ folder, target, token }: { folder: string; target: string; token: string }) {
  await cp(join(ROOT, 'deploy/prometheus'), folder, { recursive: true });
  const file = join(folder, 'prometheus.yml');
  const shipped = await readFile(file, 'utf8');
  const adapted = shipped.replace('localhost:8080', target).replaceAll('interval: 15s', 'interval: 1s');
  await writeFile(file, adapted);
  await writeFile(join(folder, 'siteyard-metrics-token'), `${token}\n`, { mode: 0o600 });
  return file;
}

/** Prometheus' own checker. Rejects with what it says where it objects to anything. */
export function promtool(args: string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(findProgram('promtool'), args, (error, stdout, stderr) =>
      error ? reject(new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`)) : resolve(stdout),
    );
    child.stdin?.end(input);
  });
}

function findProgram(name: string): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', UNPACKED];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (!found) throw new Error(`There is no ${name}; run npm run test:full, which installs it`);
  return found;
}
