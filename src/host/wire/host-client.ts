import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { siteHostParts } from '#core/cluster.ts';
import { type Lease, type RunningSite, SiteFailure } from '#runtimes/runtime.ts';
import { HostAway } from '../host-unreachable.ts';
import type { HostedSpec, SiteHost } from '../site-host.ts';
import { dial, greeting } from './host-address.ts';
import { firstArgument, hostCalls, type ServingCalls } from './host-calls.ts';
import type { WireIdentity } from './identity.ts';
import { Peer } from './peer.ts';

/** Whoever broke out of the one site of a pod answers as they like, and whoever asked has others to serve. Mails are whole. */
const MAX_BYTES_OF_POD = 16 * 1024 * 1024;
const MAX_BYTES_OF_MAIL = 32 * 1024 * 1024;

/** A host behind a socket, as if it were here. */
export function remoteHost(
  hostName: string,
  addresses: readonly string[],
  { token, tls }: WireIdentity & { token: string },
): SiteHost {
  const isPod = siteHostParts(hostName) !== undefined;
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const socket = await dial(addresses, { name: hostName, tls });
    if (!socket) throw new HostAway('nobody answers for the host of the site');
    const maxFrameBytes = name === 'eachMail' ? MAX_BYTES_OF_MAIL : MAX_BYTES_OF_POD;
    const peer = new Peer(socket, isPod ? { maxFrameBytes } : {});
    socket.write(greeting(token));
    return peer.begin([name, ...args]).finally(() => peer.close());
  };
  const calls = Object.fromEntries(
    hostCalls.map((name) => [
      name,
      (first: unknown, ...rest: unknown[]) => call(name, [firstArgument(name, first), ...rest]),
    ]),
  );
  const ask = <Name extends keyof ServingCalls>(name: Name, ...args: Parameters<ServingCalls[Name]>) =>
    call(name, args) as ReturnType<ServingCalls[Name]>;
  const start = async (site: HostedSpec): Promise<RunningSite> => {
    const { isAwake } = await ask('start', site);
    return { isAwake, lease: (signal, options = {}) => leaseOf(site, ask, signal, options) };
  };
  return { ...(calls as Omit<SiteHost, 'start'>), start };
}

type Ask = <Name extends keyof ServingCalls>(
  name: Name,
  ...args: Parameters<ServingCalls[Name]>
) => ReturnType<ServingCalls[Name]>;

/** The connection is the lease: whoever closes it gives it back. So it serves one request, and there is no other to be had. */
async function leaseOf(
  site: HostedSpec,
  ask: Ask,
  signal: AbortSignal,
  options: Parameters<RunningSite['lease']>[1] = {},
): Promise<Lease> {
  const id = randomUUID();
  const connection = (await ask('lease', site, id, options, signal)) as Socket;
  return {
    door: id,
    connect() {
      // It was paused between the call and whoever listens from now on, which is by the end of this turn.
      setImmediate(() => connection.resume());
      return connection;
    },
    release: () => connection.destroy(),
    async failure() {
      const { host, driver } = site;
      const failure = await ask('leaseFailure', { host, driver }, id).catch(() => undefined);
      return failure && new SiteFailure(failure.reason, failure.message);
    },
  };
}
