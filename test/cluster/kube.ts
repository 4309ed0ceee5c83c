import { execFile, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHART, dotOf, type Manifest, objectsOf, yamlOf } from '../../scripts/chart/chart.ts';
import { RELEASE } from '../deploy/chart-values.ts';
import { PROGRAMS, RUN } from './cluster.ts';

const execute = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../deploy/test-cluster/cluster.sh');

/** The operator's own hands on the cluster. An API server that is away refuses at once; one that is busy is waited for. */
export async function kubectl(...args: string[]): Promise<string> {
  const own = ['--kubeconfig', join(RUN, 'admin.kubeconfig'), '--request-timeout=5m'];
  const { stdout } = await execute(join(PROGRAMS, 'root/usr/bin/kubectl'), [...own, ...args], { maxBuffer: 1e8 });
  return stdout;
}

async function read<T>(...args: string[]): Promise<T> {
  return JSON.parse(await kubectl('get', ...args, '-o', 'json')) as T;
}

export async function apply(objects: readonly object[]): Promise<void> {
  const own = ['--kubeconfig', join(RUN, 'admin.kubeconfig'), 'apply', '--server-side', '--force-conflicts', '-f', '-'];
  const running = execute(join(PROGRAMS, 'root/usr/bin/kubectl'), own);
  running.child.stdin?.end(objects.map((object) => `---\n${yamlOf(object)}`).join(''));
  await running;
}

/** The chart as Helm would render it. */
export async function renderByGo(values: Record<string, unknown>): Promise<Manifest[]> {
  const running = execute(join(PROGRAMS, 'bin/render-chart'), [CHART]);
  running.child.stdin?.end(JSON.stringify(dotOf(RELEASE, values)));
  const texts = JSON.parse((await running).stdout) as Record<string, string>;
  return Object.entries(texts).flatMap(([file, text]) => objectsOf(file, text));
}

/** lose-node, return-node, stop-api, start-api. Namespaces of the network are entered by the script itself. */
export async function cluster(...args: string[]): Promise<void> {
  await execute(SCRIPT, args);
}

export interface Pod {
  metadata: {
    name: string;
    uid: string;
    namespace: string;
    labels: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: { nodeName?: string; containers: { image: string }[] };
  status: {
    phase: string;
    podIP?: string;
    conditions?: { type: string; status: string; lastTransitionTime: string }[];
  };
}

export async function pods(namespace: string, selector: string): Promise<Pod[]> {
  return (await read<{ items: Pod[] }>('pods', '-n', namespace, '-l', selector)).items;
}

export function isReady({ status, metadata }: Pod): boolean {
  const ready = status.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True');
  return Boolean(ready) && metadata.deletionTimestamp === undefined;
}

let agent: Agent | undefined;

/** What the API server answers, asked without the weight of a program; empty where it has no such thing. */
export function askApi(path: string): Promise<string> {
  const certificate = (file: string) => readFileSync(join(RUN, 'certs', file));
  const [ca, cert, key] = [certificate('ca.crt'), certificate('admin.crt'), certificate('admin.key')];
  agent ??= new Agent({ keepAlive: true, ca, cert, key });
  return new Promise((resolve, reject) => {
    const asked = get(`https://10.99.0.1:6443${path}`, { agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve(answer.statusCode === 200 ? text : '')).on('error', reject);
    });
    asked.on('error', reject);
  });
}

/** A pod as it is at this moment. */
export async function podNow(namespace: string, name: string): Promise<Pod | undefined> {
  const text = await askApi(`/api/v1/namespaces/${namespace}/pods/${name}`);
  return text === '' ? undefined : (JSON.parse(text) as Pod);
}

/** What makes the volumes of this cluster. */
export function startProvisioner(): () => void {
  const program = join(import.meta.dirname, '../../deploy/test-cluster/provisioner.mjs');
  const log = openSync(join(RUN, 'log/provisioner.log'), 'a');
  const child = spawn(process.execPath, [program, RUN], { stdio: ['ignore', log, log] });
  return () => void child.kill();
}
