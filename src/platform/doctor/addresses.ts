import { randomBytes } from 'node:crypto';
import { lookup, Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Config } from '../../config.ts';
import { advise, type Finding, fine } from './finding.ts';

const WAIT_MS = 5_000;
const SMTP_PORT = 25;
const SMTPS_PORT = 465;

/** Checks inbound names and outbound servers. Findings are advice only: each can be fixed while the platform runs. */
export async function examineAddresses(config: Config): Promise<Finding[]> {
  const findings = await Promise.all([
    examineName('BASE_URL', new URL(config.baseUrl).hostname),
    examineName('SITE_DOMAIN', config.siteDomain, `doctor-${randomBytes(4).toString('hex')}.${config.siteDomain}`),
    examineNameServers(config.dnsServers),
    examineMail(config.smtpUrl),
  ]);
  return findings.filter((finding) => finding !== undefined);
}

/** `probe`: any name under it that nothing else has. */
async function examineName(name: string, host: string, probe = host): Promise<Finding | undefined> {
  if (host === 'localhost' || host.endsWith('.localhost')) return undefined;
  try {
    return fine(name, `${probe} is at ${(await inTime(lookup(probe))).address}`);
  } catch {
    return advise(
      name,
      `${probe} does not resolve`,
      probe === host
        ? `Add an A or AAAA record for ${host} that points to this machine.`
        : `Add a record for *.${host} that points to this machine.`,
    );
  }
}

async function examineNameServers(servers: readonly string[]): Promise<Finding | undefined> {
  if (servers.length === 0) return undefined;
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers(servers);
  try {
    await inTime(resolver.resolveNs('.'));
    return fine('DNS_SERVERS', `${servers.join(', ')} respond`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A response without records is a response.
    if (code === 'ENODATA' || code === 'ENOTFOUND') return fine('DNS_SERVERS', `${servers.join(', ')} respond`);
    return advise(
      'DNS_SERVERS',
      `${servers.join(', ')} do not respond (${code ?? (error as Error).message})`,
      'Set DNS_SERVERS to name servers that this machine reaches, or leave it out to use those of the machine.',
    );
  }
}

async function examineMail(smtpUrl: string | undefined): Promise<Finding | undefined> {
  if (smtpUrl === undefined) return undefined;
  const { protocol, hostname, port } = new URL(smtpUrl);
  const number = Number(port) || (protocol === 'smtps:' ? SMTPS_PORT : SMTP_PORT);
  const socket = connect({ host: hostname, port: number });
  try {
    await inTime(new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)));
    return fine('SMTP_URL', `${hostname}:${number} accepts connections`);
  } catch (error) {
    return advise(
      'SMTP_URL',
      `${hostname}:${number} accepts no connection (${(error as Error).message})`,
      'Set SMTP_URL to a mail server that this machine reaches; until then no mail is sent.',
    );
  } finally {
    socket.destroy();
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error(`no response in ${WAIT_MS / 1000} s`)), WAIT_MS).unref();
  });
  return Promise.race([work, late]);
}
