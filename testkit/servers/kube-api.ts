import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../expect.ts';
import { freePort } from '../free-port.ts';

/** The folder with `etcd` and `kube-apiserver` in it (deploy/test-cluster builds them); undefined: there is none, and their tests are left out. */
export const KUBE_BINARIES = process.env.KUBE_BINARIES;

const TOKEN = 'a-token-for-tests';

/** A real API server of Kubernetes, without machines: objects, rights and watches are as they are, and nothing runs. */
export class KubeApi {
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #etcdPort: number;
  readonly #processes: ChildProcess[] = [];

  private constructor(folder: string, port: number, etcdPort: number) {
    this.#folder = folder;
    this.#port = port;
    this.#etcdPort = etcdPort;
    this.kubeconfig = join(folder, 'kubeconfig');
  }

  static async start(): Promise<KubeApi> {
    const api = new KubeApi(await mkdtemp(join(tmpdir(), 'kube-api-')), await freePort(), await freePort());
    await api.#prepare();
    await api.#startEtcd(await freePort());
    await api.up();
    return api;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    const inFolder = (name: string) => join(this.#folder, name);
    this.#spawn('kube-apiserver', [
      `--etcd-servers=http://127.0.0.1:${this.#etcdPort}`,
      `--secure-port=${this.#port}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${inFolder('certificates')}`,
      `--token-auth-file=${inFolder('tokens')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${inFolder('accounts.key')}`,
      `--service-account-key-file=${inFolder('accounts.key')}`,
      '--disable-admission-plugins=ServiceAccount',
      '--storage-media-type=application/json',
    ]);
    // Its certificate is made by itself at its start.
    await eventually(() => this.#isReady(), 60_000);
  }

  async down(): Promise<void> {
    const server = this.#processes.pop();
    server?.kill('SIGKILL');
    if (server && server.exitCode === null) await once(server, 'exit');
  }

  async close(): Promise<void> {
    for (const each of this.#processes) each.kill('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #isReady(): Promise<boolean> {
    const { KubeConfig, CoreV1Api } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    config.loadFromFile(this.kubeconfig);
    return config
      .makeApiClient(CoreV1Api)
      .listNamespace()
      .then(
        ({ items }) => items.some(({ metadata }) => metadata?.name === 'default'),
        () => false,
      );
  }

  async #startEtcd(peerPort: number): Promise<void> {
    const [client, peer] = [this.#etcdPort, peerPort].map((port) => `http://127.0.0.1:${port}`);
    this.#spawn('etcd', [
      ...[`--data-dir=${join(this.#folder, 'etcd')}`, '--unsafe-no-fsync'],
      ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
    ]);
  }

  #spawn(name: string, args: string[]): void {
    const path = join(KUBE_BINARIES ?? '', name);
    const stdio = process.env.KUBE_OUTPUT ? 'inherit' : 'ignore';
    this.#processes.push(spawn(path, args, { stdio, env: { ...process.env, ETCD_UNSUPPORTED_ARCH: 'arm64' } }));
  }

  async #prepare(): Promise<void> {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs1', format: 'pem' });
    await writeFile(join(this.#folder, 'accounts.key'), key);
    await writeFile(join(this.#folder, 'tokens'), `${TOKEN},admin,1,"system:masters"\n`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster: { server: this.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'admin', user: { token: TOKEN } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
      'current-context': 'test',
    };
    await writeFile(this.kubeconfig, JSON.stringify(config));
  }
}
