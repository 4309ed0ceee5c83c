import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthContext, Connection, PublicKeyAuthContext } from 'ssh2';
import { addressKey } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import type { Shares } from '#core/shares.ts';
import { findHolders, isKnownType, keyHash, noteKeyUse } from '#features/ssh-key/ssh-key.ts';
import { findSitting, watchRights } from '#features/terminal/terminal.ts';
import { type Guest, SshSession } from './ssh-session.ts';

/** Whatever is wrong, the answer takes this long: whether there is such a site, such a key or no right is nobody's business. */
const REFUSAL_MS = 100;
/** People have several keys, and their programs try one after another. */
const TRIES = 10;
const SESSIONS = 10;
/** The library keeps something of each session that never began anything. */
const EMPTY_SESSIONS = 100;
const IDLE_MS = 30 * 60_000;
const IDLE_LOOK_MS = 60_000;
/** More than the library may have to hold where everybody keeps to the windows that were agreed on. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;
const MOST_UNSENT_BYTES = 16 * 1024 * 1024;
/** What somebody has to send, and to be sent, to say who they are. */
const STRANGERS_BYTES = 64 * 1024;

/** Somebody who came by ssh: first who they are, then what they run. */
export class SshConnection {
  readonly #services: Services;
  readonly #client: Connection;
  readonly #socket: Socket;
  readonly #address: string;
  readonly #people: Shares;
  readonly #sessions = new Set<SshSession>();
  #guest: Guest | undefined;
  #failures = 0;
  #asked = 0;
  #emptySessions = 0;
  #usedAt = performance.now();

  constructor(services: Services, client: Connection, socket: Socket, people: Shares) {
    this.#services = services;
    this.#client = client;
    this.#socket = socket;
    this.#people = people;
    this.#address = addressKey(socket.remoteAddress ?? '');
    // The library leaves a connection open that broke the rules, or that is silent.
    client.on('error', () => this.end());
    client.on('authentication', (context) => {
      this.#authenticate(context).catch((error) => {
        services.limits.take('failedSsh', this.#address);
        this.#break(error);
      });
    });
    client.on('ready', () => void this.#welcome().catch((error) => this.#break(error)));
    client.on('session', (accept, reject) => {
      if (!this.#guest || this.#sessions.size >= SESSIONS || this.#emptySessions > EMPTY_SESSIONS) return reject();
      this.#open(new SshSession(this.#services, this.#guest, accept(), socket, () => this.end()));
    });
    socket.once('close', () => {
      for (const session of this.#sessions) session.leave();
    });
    // Nobody else holds clients to what was agreed on.
    socket.on('data', () => {
      const hasUnread = [...this.#sessions].some(({ unreadBytes }) => unreadBytes > MOST_UNREAD_BYTES);
      const mostUnsent = this.#guest ? MOST_UNSENT_BYTES : STRANGERS_BYTES;
      const isTooMuch = !this.#guest && socket.bytesRead > STRANGERS_BYTES;
      if (hasUnread || isTooMuch || socket.writableLength > mostUnsent) socket.destroy();
    });
  }

  /** Resolves when nothing that it began runs any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.#sessions].map(({ ended }) => ended));
  }

  end(): void {
    this.#client.end();
    // Who does not read is not waited for.
    setTimeout(() => this.#socket.destroy(), 500).unref();
  }

  async #authenticate(context: AuthContext): Promise<void> {
    if (context.method === 'none') return context.reject(['publickey']);
    const { limits } = this.#services;
    const refusal = sleep(REFUSAL_MS);
    const guest = context.method === 'publickey' ? await this.#find(context) : undefined;
    if (this.#socket.destroyed) return;
    if (!guest) {
      this.#failures++;
      const { exceeded } = limits.take('failedSsh', this.#address);
      await refusal;
      if (this.#socket.destroyed) return;
      if (exceeded || this.#failures >= TRIES) return this.end();
      return context.reject(['publickey']);
    }
    // Who asks whether a key would do is to come with it.
    if (context.method === 'publickey' && !context.signature)
      return ++this.#asked > TRIES ? this.end() : context.accept();
    const leave = this.#people.take(guest.caller.userId);
    if (!leave) return this.end();
    this.#socket.once('close', leave);
    this.#guest = guest;
    // Those before the right one were no attempts to get in.
    for (let each = 0; each < this.#failures; each++) limits.giveBack('failedSsh', this.#address);
    limits.giveBack('sshConnection', this.#address);
    this.#socket.emit('known');
    context.accept();
  }

  /** Whoever has this key and may use a terminal of the site that they name; with a signature, only if it is right. */
  async #find(context: PublicKeyAuthContext): Promise<Guest | undefined> {
    const { key, username, hashAlgo } = context;
    // RSA without a name of the hash is SHA-1.
    if (username.includes('\0') || !isKnownType(key.algo) || (key.algo === 'ssh-rsa' && hashAlgo === undefined))
      return undefined;
    const holders = await findHolders(this.#services.db, keyHash(key.data), username.toLowerCase());
    for (const holder of holders) {
      const sitting = await findSitting(this.#services, holder);
      if (sitting && (context.signature === undefined || (await isSigned(context)))) return sitting;
    }
    return undefined;
  }

  async #welcome(): Promise<void> {
    const { caller, site } = this.#guest as Guest;
    const clock = setInterval(() => this.#endIdle(), IDLE_LOOK_MS).unref();
    this.#socket.once('close', () => clearInterval(clock));
    const stop = await watchRights(this.#services, caller, site.id, () => this.end());
    if (this.#socket.destroyed) stop();
    else this.#socket.once('close', stop);
    await noteKeyUse(this.#services.db, caller.credential.id);
  }

  #open(session: SshSession): void {
    this.#sessions.add(session);
    void session.ended.finally(() => {
      this.#sessions.delete(session);
      this.#usedAt = performance.now();
      if (session.isEmpty) this.#emptySessions++;
    });
  }

  #endIdle(): void {
    if ([...this.#sessions].every(({ isEmpty }) => isEmpty) && performance.now() - this.#usedAt > IDLE_MS) this.end();
  }

  #break(error: unknown): void {
    this.#services.log.warn({ err: error }, 'a connection by ssh broke');
    this.#socket.destroy();
  }
}

async function isSigned({ key, blob, signature, hashAlgo }: PublicKeyAuthContext): Promise<boolean> {
  const { default: ssh2 } = await import('ssh2');
  const parsed = ssh2.utils.parseKey(`${key.algo} ${key.data.toString('base64')}`);
  if (parsed instanceof Error || !blob || !signature) return false;
  return parsed.verify(blob, signature, hashAlgo) === true;
}
