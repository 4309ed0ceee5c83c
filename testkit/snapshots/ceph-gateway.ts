import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { S3Account } from '#timemachine/stores/s3-client.ts';
import { freePort } from '../free-port.ts';

/** Debian: apt-get install --no-install-recommends radosgw ceph-mon ceph-osd */
export function hasCeph(): boolean {
  return spawnSync('which', ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph']).status === 0;
}

export interface CephGateway {
  account: Omit<S3Account, 'bucket'>;
  /** Ends the gateway alone; what it has stored is there when it is opened again. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
  stop(): Promise<void>;
}

const ACCESS = { accessKeyId: 'the-key-of-tests', secretAccessKey: 'the-secret-of-tests' };
const READY_MS = 120_000;

/** A cluster of one monitor, one store in memory and a gateway that speaks S3, all gone with `stop`. */
export async function startCephGateway(folder: string): Promise<CephGateway> {
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()];
  const settings = join(folder, 'ceph.conf');
  const id = randomUUID();
  for (const name of ['mon', 'osd']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'keyring'), '');
  writeFileSync(settings, settingsOf(folder, id, monitorPort, gatewayPort));
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(program, ['-c', settings, ...args], { timeout: READY_MS });
  const daemons: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) => {
    const daemon = spawn(program, ['-c', settings, ...args, '-f'], { stdio: 'ignore' });
    daemons.push(daemon);
    return daemon;
  };
  const kill = async (daemon: ChildProcess) => {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return;
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
  };
  const stop = async () => {
    for (const daemon of daemons.reverse()) await kill(daemon);
  };
  try {
    const map = join(folder, 'monmap');
    await promisify(execFile)('monmaptool', [
      '--create',
      '--fsid',
      id,
      '--addv',
      'a',
      `[v1:127.0.0.1:${monitorPort}]`,
      map,
    ]);
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map);
    start('ceph-mon', '-i', 'a');
    const disk = randomUUID();
    await run('ceph', 'osd', 'new', disk, '0');
    await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk);
    start('ceph-osd', '-i', '0');
    await run('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=here');
    let gateway = start('radosgw', '-n', 'client.gateway');
    const user = ['--uid', 'test', '--display-name', 'test'];
    const keys = ['--access-key', ACCESS.accessKeyId, '--secret-key', ACCESS.secretAccessKey];
    await run('radosgw-admin', 'user', 'create', ...user, ...keys);
    const endpoint = `http://127.0.0.1:${gatewayPort}`;
    await untilAnswers(endpoint);
    const reopen = async () => {
      gateway = start('radosgw', '-n', 'client.gateway');
      await untilAnswers(endpoint);
    };
    const account = { endpoint, region: 'default', prefix: '', ...ACCESS };
    return { account, stop, shut: () => kill(gateway), reopen };
  } catch (error) {
    await stop();
    throw error;
  }
}

function settingsOf(folder: string, id: string, monitorPort: number, gatewayPort: number): string {
  return `[global]
fsid = ${id}
mon host = v1:127.0.0.1:${monitorPort}
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
mon allow pool size one = true
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 2147483648
mon data = ${folder}/mon
osd data = ${folder}/osd
run dir = ${folder}
admin socket = ${folder}/$name.asok
log file = ${folder}/$name.log
pid file = ${folder}/$name.pid
keyring = ${folder}/keyring
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
`;
}

async function untilAnswers(endpoint: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    try {
      await fetch(endpoint);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}
