import { Agent, type RequestOptions, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PeerCertificate } from 'node:tls';
import { deserialize } from 'node:v8';

/**
 * The platform's door for the pods of sites, as a pod knows it. A pod has neither the database nor the platform's key (docs/decisions/0068):
 * what it has to know and to tell goes through here, and the platform believes of it what its certificate says and no more. It is data that
 * can cross the border of a process, so the processes of the time machine come through the same door.
 */
export interface PlatformDoor {
  /** As address:port. */
  address: string;
  tls: { key: string; cert: string; ca: string };
}

/** What the certificate says of whoever is behind it. */
export const PLATFORM = 'platform';

const ANSWER_MS = 15_000;
const TRIES = 5;
const AGAIN_MS = 200;
/** It understood, and will not; anything else may be better in a moment. */
const FINAL = [400, 403, 404, 405, 413, 422];

export class PlatformRefused extends Error {}

/** Asks again only where nothing was heard of it: whoever is behind the door is replaced now and then. */
export async function askPlatform(
  door: PlatformDoor,
  call: string,
  input: object,
  timeoutMs = ANSWER_MS,
): Promise<unknown> {
  for (let turn = 1; ; turn++)
    try {
      return await askOnce(door, call, input, timeoutMs);
    } catch (error) {
      if (turn >= TRIES || !(error instanceof NotHeard)) throw error;
      await sleep(AGAIN_MS);
    }
}

/** Nobody took the connection, or it had been idle and was closed in that very moment. */
class NotHeard extends Error {}

async function askOnce(door: PlatformDoor, call: string, input: object, timeoutMs: number): Promise<unknown> {
  const body = Buffer.from(JSON.stringify(input));
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const asking = request(
    { ...wayTo(door), path: `/${call}`, method: 'POST', headers, signal: AbortSignal.timeout(timeoutMs) },
    (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const answer = Buffer.concat(parts);
        if (response.statusCode === 200) resolve(deserialize(answer));
        else {
          const words = `the platform answered ${response.statusCode} to ${call}: ${answer}`;
          reject(FINAL.includes(response.statusCode ?? 0) ? new PlatformRefused(words) : new Error(words));
        }
      });
    },
  );
  asking.once('error', (error: NodeJS.ErrnoException) => {
    const isUnheard = error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && asking.reusedSocket);
    reject(isUnheard ? new NotHeard(error.message, { cause: error }) : error);
  });
  asking.end(body);
  return promise;
}

/** Calls back with each line that the platform tells, until the connection is gone or nothing was heard for so long. */
export async function hearPlatform(
  door: PlatformDoor,
  call: string,
  heard: (line: string) => void,
  { silenceMs, signal }: { silenceMs: number; signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const asking = request({ ...wayTo(door), path: `/${call}`, method: 'POST', signal }, (response) => {
    if (response.statusCode !== 200) {
      asking.destroy();
      return reject(new PlatformRefused(`the platform answered ${response.statusCode} to ${call}`));
    }
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) heard(line);
    });
    response.once('error', reject);
    response.once('close', () => resolve());
  });
  asking.setTimeout(silenceMs, () => asking.destroy(new Error('the platform has fallen silent')));
  asking.once('error', reject);
  asking.end();
  return promise;
}

/** Reading keys costs more than a call, and so does a handshake. */
const agents = new Map<string, Agent>();

function wayTo({ address, tls }: PlatformDoor): RequestOptions {
  const name = `${address} ${tls.cert}`;
  const agent = agents.get(name) ?? new Agent({ ...tls, minVersion: 'TLSv1.3', keepAlive: true, servername: PLATFORM });
  agents.set(name, agent);
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port, agent, checkServerIdentity };
}

function checkServerIdentity(_address: string, { subjectaltname }: PeerCertificate): Error | undefined {
  return subjectaltname === `DNS:${PLATFORM}` ? undefined : new Error(`${subjectaltname} answers for the platform`);
}
