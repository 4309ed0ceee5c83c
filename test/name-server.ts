import { type ChildProcess, spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './expect.ts';
import { freePort } from './free-port.ts';

/** A real name server (nsd) on loopback. It answers for the zones it is given, and that nothing else exists. */
export interface NameServer {
  /** For DNS_SERVERS. */
  address: string;
  /** Gives a zone other records, in the master file format; they are served when this returns. */
  write(zone: string, records: string): Promise<void>;
  close(): Promise<void>;
}

/** The zones can not become more later on. The root is always among them. */
export async function startNameServer(zones: Record<string, string> = {}): Promise<NameServer> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-dns-'));
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([address]);
  const all = { '.': '', ...zones };
  let serial = 1;
  const fileOf = (zone: string) => join(folder, `${zone === '.' ? 'root' : zone}.zone`);
  const writeZone = (zone: string, records: string) => {
    // A zone has name servers of its own unless the test says whose they are.
    const servers = /^@\s+NS\s/m.test(records) ? '' : '@ NS ns.elsewhere.example.\n';
    const origin = zone === '.' ? '.' : `${zone}.`;
    const start = `$ORIGIN ${origin}\n$TTL 1\n@ SOA ns.elsewhere.example. root.elsewhere.example. ${serial} 60 60 60 1\n`;
    return writeFile(fileOf(zone), `${start}${servers}${records}\n`);
  };
  for (const [zone, records] of Object.entries(all)) await writeZone(zone, records);
  const zoneLines = Object.keys(all).map((zone) => `zone:\n name: "${zone}"\n zonefile: "${fileOf(zone)}"\n`);
  const files = ['pidfile', 'xfrdfile', 'zonelistfile', 'logfile'].map((name) => ` ${name}: "${join(folder, name)}"\n`);
  const server = `server:\n ip-address: ${address.replace(':', '@')}\n server-count: 1\n username: ""\n database: ""\n`;
  const config = join(folder, 'nsd.conf');
  await writeFile(config, `${server}${files.join('')}remote-control:\n control-enable: no\n${zoneLines.join('')}`);
  const child = spawn('/usr/sbin/nsd', ['-d', '-c', config], { stdio: 'ignore' });
  const serves = async (zone: string) => (await resolver.resolveSoa(zone).catch(() => undefined))?.serial === serial;
  await eventually(() => serves(Object.keys(all).at(-1) as string));
  return {
    address,
    async write(zone, records) {
      serial++;
      await writeZone(zone, records);
      child.kill('SIGHUP');
      await eventually(() => serves(zone));
    },
    async close() {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await end;
}
