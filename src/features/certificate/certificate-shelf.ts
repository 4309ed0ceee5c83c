import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Services } from '#core/services.ts';
import { makeAlpnCertificate, pem } from '#integrations/acme/x509.ts';
import { type ChallengeRow, findCertificate, listCertifiedNames, listChallenges } from './certificate.sql.ts';

/** Made ready for handshakes; beyond it the one that was used longest ago is read again. */
const READY = 5_000;
const TOKEN = /^[\w-]{16,128}$/;
const RETRY_MS = 1_000;
const UNREADABLE_MS = 3_000;
/** From one look at the challenges to the next: where none was open it is strangers who ask, otherwise an authority is about to come. */
const [LOOK_MS, LOOK_SOON_MS] = [1_000, 100];

/**
 * The certificates as a process that serves them has them. Which names have one is known at once, so that who asks for any other costs nothing; the
 * certificate itself is read when somebody comes. The database says which one changed.
 */
export class CertificateShelf {
  readonly #services: Services;
  #names = new Set<string>();
  readonly #ready = new Map<string, Promise<SecureContext | undefined>>();
  #alpnKey: KeyObject | undefined;
  #nextLook: Promise<ChallengeRow[]> | undefined;
  #nextLookMs = 0;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Whether an authority may come with a handshake of its own. */
  readonly awaitsAuthority: boolean;

  constructor(services: Services) {
    this.#services = services;
    this.awaitsAuthority = services.config.acme !== undefined;
  }

  async start(): Promise<void> {
    const { listener } = this.#services;
    await listener.on('certificate_changed', (name) => void this.#inTurn(() => this.#readAgain(name)));
    listener.onReconnect(() => void this.#inTurn(() => this.#readAll()));
    await this.#inTurn(() => this.#readAll());
  }

  /** One look after another, so that an older one never overwrites a newer one. */
  #inTurn(look: () => Promise<void>): Promise<void> {
    this.#looking = this.#looking.then(look);
    return this.#looking;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Whether there is one for a host as visitors name it. */
  has(name: string): boolean {
    return this.#nameFor(name) !== undefined;
  }

  /** What a handshake for this name is answered with; undefined where there is none. */
  contextFor(name: string): Promise<SecureContext | undefined> {
    const known = this.#nameFor(name);
    if (known === undefined) return Promise.resolve(undefined);
    const ready = this.#ready.get(known) ?? this.#make(known);
    // What was used last is last in the map.
    this.#ready.delete(known);
    this.#ready.set(known, ready);
    if (this.#ready.size > READY) this.#ready.delete(this.#ready.keys().next().value as string);
    return ready;
  }

  /** What the authority is shown for a challenge by TLS. */
  async challengeFor(name: string): Promise<SecureContext | undefined> {
    const wanted = name.toLowerCase();
    const open = await this.#openChallenges();
    const challenge = open.find((each) => each.type === 'tls-alpn-01' && each.name === wanted);
    if (!challenge) return undefined;
    this.#alpnKey ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const certificate = makeAlpnCertificate(challenge.name, challenge.key_authorization, this.#alpnKey);
    return createSecureContext({
      cert: pem(certificate),
      key: this.#alpnKey.export({ type: 'pkcs8', format: 'pem' }),
    });
  }

  /** What the authority is shown for a challenge by HTTP. */
  async answerTo(token: string): Promise<string | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const open = await this.#openChallenges();
    return open.find((each) => each.type === 'http-01' && each.token === token)?.key_authorization;
  }

  /** As they are now or a moment later. Whoever comes until then shares the look: it may be anybody, and any number of them. */
  #openChallenges(): Promise<ChallengeRow[]> {
    this.#nextLook ??= this.#lookAtChallenges();
    return this.#nextLook;
  }

  async #lookAtChallenges(): Promise<ChallengeRow[]> {
    await pause(Math.max(0, this.#nextLookMs - performance.now()), undefined, { ref: false });
    // Who comes from here on may ask for one that this look does not find.
    this.#nextLook = undefined;
    const begunMs = performance.now();
    this.#nextLookMs = begunMs + LOOK_MS;
    const open = await listChallenges(this.#services.db);
    if (open.length > 0) this.#nextLookMs = begunMs + LOOK_SOON_MS;
    return open;
  }

  #nameFor(spelled: string): string | undefined {
    const name = spelled.toLowerCase();
    if (this.#names.has(name)) return name;
    const wildcard = `*.${name.slice(name.indexOf('.') + 1)}`;
    return this.#names.has(wildcard) ? wildcard : undefined;
  }

  /** What can not be read is tried again after a moment, not for every visitor. */
  #make(name: string): Promise<SecureContext | undefined> {
    const making = this.#read(name).catch((error: unknown) => {
      this.#services.log.warn({ err: error, name }, 'a certificate could not be read');
      const forget = () => this.#ready.get(name) === making && this.#ready.delete(name);
      setTimeout(forget, UNREADABLE_MS).unref();
      return undefined;
    });
    return making;
  }

  async #read(name: string): Promise<SecureContext | undefined> {
    const row = await findCertificate(this.#services.db, name);
    if (!row) return undefined;
    const key = createPrivateKey(this.#services.secrets.open(row.key_sealed));
    return createSecureContext({ cert: row.chain, key: key.export({ type: 'pkcs8', format: 'pem' }) });
  }

  async #readAgain(name: string): Promise<void> {
    try {
      const row = await findCertificate(this.#services.db, name);
      if (row) this.#names.add(name);
      else this.#names.delete(name);
      this.#ready.delete(name);
    } catch {
      this.#readLater();
    }
  }

  async #readAll(): Promise<void> {
    try {
      this.#names = new Set(await listCertifiedNames(this.#services.db));
      this.#ready.clear();
    } catch (error) {
      if (this.#isClosed) return;
      this.#services.log.warn({ err: error }, 'the certificates could not be read; trying again');
      this.#readLater();
    }
  }

  #readLater(): void {
    if (!this.#isClosed) setTimeout(() => void this.#inTurn(() => this.#readAll()), RETRY_MS).unref();
  }
}
