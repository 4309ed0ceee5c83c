import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../expect.ts';
import { freePort } from '../free-port.ts';

const PROGRAM = '/usr/sbin/knotd';

/** Why updates of zones can not be tried here; false where they can. */
export const withoutZoneServer: string | false = existsSync(PROGRAM)
  ? false
  : 'This machine has no Knot DNS (on Debian: apt-get install knot).';

/** A real name server (Knot) on loopback that has a zone and takes updates of it, with a key. */
export interface ZoneServer {
  /** As address:port. */
  address: string;
  port: number;
  /** As `nsupdate -y` takes it. */
  key: string;
  /** What it serves now. */
  texts(name: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function startZoneServer(zone: string, records = ''): Promise<ZoneServer> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-zone-'));
  const port = await freePort();
  const secret = randomBytes(32).toString('base64');
  const start = `$ORIGIN ${zone}.\n$TTL 1\n@ SOA ns.elsewhere.example. root.elsewhere.example. 1 60 60 60 1\n`;
  const servers = /^@\s+NS\s/m.test(records) ? '' : '@ NS ns.elsewhere.example.\n';
  await writeFile(join(folder, 'zone'), `${start}${servers}${records}\n`);
  const config = `server:\n  listen: 127.0.0.1@${port}\n  rundir: ${folder}\n  udp-workers: 1\n  tcp-workers: 1\n  background-workers: 1
database:\n  storage: ${folder}\n
key:\n  - id: siteyard\n    algorithm: hmac-sha256\n    secret: ${secret}\n
acl:\n  - id: updates\n    key: siteyard\n    action: update\n
zone:\n  - domain: ${zone}\n    storage: ${folder}\n    file: zone\n    acl: updates\n    zonefile-sync: -1\n`;
  await writeFile(join(folder, 'knot.conf'), config);
  const child = spawn(PROGRAM, ['-c', join(folder, 'knot.conf')], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  await eventually(async () => (await resolver.resolveSoa(zone).catch(() => undefined)) !== undefined);
  return {
    address: `127.0.0.1:${port}`,
    port,
    key: `hmac-sha256:siteyard:${secret}`,
    texts: async (name) => (await resolver.resolveTxt(name).catch(() => [])).map((pieces) => pieces.join('')),
    async close() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
