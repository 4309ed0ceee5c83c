import { createHash, createPrivateKey, generateKeyPair, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { registrableDomain } from '#core/host-name.ts';
import type { Services } from '#core/services.ts';
import {
  AcmeConnection,
  AcmeProblem,
  type ChallengeType,
  obtainCertificate,
  register,
} from '#integrations/acme/acme.ts';
import { askForRenewal, renewalId } from '#integrations/acme/renewal-info.ts';
import { UpdateRefused, ZoneUpdates } from '#integrations/dns/zone-updates.ts';
import { exported } from './certificate.rules.ts';
import { choosePause, chooseRenewal, DAY_MS, JITTER } from './certificate.schedule.ts';
import {
  type DueCertificate,
  deleteChallenge,
  deleteCovered,
  findAccountKey,
  insertChallenge,
  insertWanted,
  millisecondsUntilDue,
  noteFailure,
  noteRenewal,
  postponeNeighbours,
  storeObtained,
  takeDue,
  type WantedNames,
} from './certificate.sql.ts';
import { isWildcard, ownDomains, plainName, wildcardDomains } from './wildcards.ts';

/** Names under way in this process. They wait for others, so several cost little. */
const AT_ONCE = 8;
const POLL_MS = 15_000;
const SOONEST_MS = 1_000;
/** Many names change at once where somebody makes many sites. */
const GATHER_MS = 200;
/** It looks at all names, so the more there are, the longer what changes is gathered: a twentieth of the time at most. */
const LOOK_SHARE = 20;
/** Gets and renews what is due. Any number of processes do this side by side, each name is one's for some minutes. */
export class CertificateWorker {
  readonly #services: Services;
  readonly #directory: string;
  readonly #wanted: WantedNames;
  /** Where the platform can write into the zone of its sites. */
  readonly #zone: ZoneUpdates | undefined;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #connection: Promise<AcmeConnection> | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;
  /** What the last look for names without a row took. */
  #lookMs = 0;

  constructor(services: Services) {
    this.#services = services;
    const { acme, baseUrl } = services.config;
    this.#directory = (acme as { directory: string }).directory;
    this.#zone = acme?.zoneServer && new ZoneUpdates(acme.zoneServer, services.dns);
    const domains = ownDomains(services.config);
    const platform = [new URL(baseUrl).hostname].filter((name) => isIP(name) === 0 && this.#mayKnow(name));
    const wildcards = wildcardDomains(services.config).filter((name) => this.#mayKnow(name));
    this.#wanted = {
      own: [...platform, ...wildcards.map((domain) => `*.${domain}`)],
      wildcards,
      given: domains.map((name) => `.${name}`),
      known: domains.filter((name) => this.#mayKnow(name)).map((name) => `.${name}`),
    };
  }

  async start(): Promise<void> {
    const { listener } = this.#services;
    const wake = () => this.#wakeIn(Math.max(GATHER_MS, this.#lookMs * LOOK_SHARE));
    await listener.on('site_changed', wake);
    await listener.on('certificate_changed', wake);
    listener.onReconnect(wake);
    this.#wake();
  }

  /** What is under way is given up; another process, or the next start, takes it up. */
  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#pumping;
    await Promise.all(this.#underWay);
  }

  /** Names that mean something on this machine alone are for an authority that is on it, too. */
  #mayKnow(name: string): boolean {
    const isLocal = (host: string) => host === 'localhost' || host.endsWith('.localhost');
    const authority = new URL(this.#directory).hostname;
    return !isLocal(name) || isLocal(authority) || authority.startsWith('127.') || authority === '[::1]';
  }

  /** By then, or sooner where that was said before. */
  #wakeIn(ms: number): void {
    const atMs = performance.now() + ms;
    if (this.#stopping.signal.aborted || atMs >= this.#wakesAtMs) return;
    clearTimeout(this.#timer);
    this.#wakesAtMs = atMs;
    this.#timer = setTimeout(() => this.#wake(), ms).unref();
  }

  #wake(): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#again) this.#wake();
    });
  }

  async #pump(): Promise<void> {
    let delayMs = POLL_MS;
    try {
      while (this.#again && !this.#stopping.signal.aborted) {
        this.#again = false;
        const begunMs = performance.now();
        await insertWanted(this.#services.db, this.#wanted);
        await deleteCovered(this.#services.db, this.#wanted);
        this.#lookMs = performance.now() - begunMs;
        await this.#takeDue();
      }
      const dueMs = await millisecondsUntilDue(this.#services.db);
      // What is due by now waits for something else than time: a place here, or its records.
      if (dueMs) delayMs = Math.min(delayMs, Math.max(SOONEST_MS, dueMs));
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#services.log.warn({ err: error }, 'could not see which certificates are due');
    }
    this.#wakeIn(delayMs);
  }

  async #takeDue(): Promise<void> {
    const free = AT_ONCE - this.#underWay.size;
    if (free <= 0) return;
    for (const due of await takeDue(this.#services.db, free, this.#wanted)) {
      const work = this.#work(due)
        .catch((error) => this.#services.log.warn({ err: error, name: due.name }, 'a certificate was not noted'))
        .finally(() => {
          this.#underWay.delete(work);
          this.#wake();
        });
      this.#underWay.add(work);
    }
  }

  async #work(due: DueCertificate): Promise<void> {
    const { db, log } = this.#services;
    try {
      if (due.is_renewal_due) await this.#obtain(due);
      else await this.#askAbout(due);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const pauseMs = choosePause(due.failures, error);
      const isKnown = error instanceof AcmeProblem || error instanceof UpdateRefused;
      const reason = isKnown ? error.message : 'The certificate authority could not be reached.';
      log.info({ err: error, name: due.name, failures: due.failures + 1, pause_ms: pauseMs }, 'no certificate yet');
      await noteFailure(db, due, reason.slice(0, 500), pauseMs);
      if (error instanceof AcmeProblem && error.kind === 'rateLimited')
        await postponeNeighbours(db, registrableDomain(plainName(due.name)) ?? due.name, pauseMs, pauseMs * JITTER);
    }
  }

  async #obtain(due: DueCertificate): Promise<void> {
    const { name, chain, source, failures } = due;
    const { db, secrets } = this.#services;
    const connection = await this.#connected();
    const { signal } = this.#stopping;
    const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
    // What one way of looking does not find, the other may: a redirect in front, or a port that is closed.
    const types: ChallengeType[] = isWildcard(name) ? ['dns-01'] : ['http-01', 'tls-alpn-01'];
    if (failures % 2 === 1) types.reverse();
    const issued = await obtainCertificate(connection, {
      name,
      key: privateKey,
      types,
      replaces: chain !== null && source === 'acme' ? renewalId(chain) : undefined,
      answer: async (challenge) => {
        const { token, type, keyAuthorization } = challenge;
        if (type === 'dns-01') return this.#answerByZone(challenge.name, keyAuthorization, signal);
        await insertChallenge(db, { token, name: challenge.name, type, key_authorization: keyAuthorization });
        return () => deleteChallenge(db, token);
      },
      signal,
    });
    const leaf = new X509Certificate(issued);
    // Of a wildcard, any name will do.
    if (
      leaf.checkHost(name.replace('*', 'any'), { subject: 'never' }) === undefined ||
      !leaf.checkPrivateKey(privateKey)
    )
      throw new AcmeProblem('malformed', 'The authority gave a certificate that is not for this name.');
    const [notBefore, notAfter] = [new Date(leaf.validFrom), new Date(leaf.validTo)];
    const renewAt = chooseRenewal(notBefore, notAfter);
    await storeObtained(db, due, {
      chain: issued,
      key_sealed: secrets.seal(Buffer.from(exported(privateKey))),
      not_before: notBefore,
      not_after: notAfter,
      renew_at: renewAt,
      next_try_at: await this.#nextLook(connection, renewAt),
    });
  }

  /** RFC 8555, 8.4. */
  async #answerByZone(name: string, keyAuthorization: string, signal: AbortSignal): Promise<() => Promise<void>> {
    if (!this.#zone) throw new AcmeProblem('unsupported', 'There is no zone to write the proof into.');
    const digest = createHash('sha256').update(keyAuthorization).digest('base64url');
    return this.#zone.setText(`_acme-challenge.${name}`, digest, signal);
  }

  /** An authority may want one back early, and says so only to who asks (RFC 9773). */
  async #askAbout(due: DueCertificate): Promise<void> {
    const { name, chain, renew_at } = due;
    const { db, log } = this.#services;
    const connection = await this.#connected();
    const planned = renew_at as Date;
    const id = chain === null ? undefined : renewalId(chain);
    const advice =
      id &&
      (await askForRenewal(connection, id).catch((error) => {
        log.debug({ err: error, name }, 'the authority says nothing of a renewal');
        return undefined;
      }));
    const renewAt = advice && advice.renewAt < planned ? advice.renewAt : planned;
    await noteRenewal(db, due, renewAt, await this.#nextLook(connection, renewAt));
  }

  async #nextLook(connection: AcmeConnection, renewAt: Date): Promise<Date> {
    const { renewalInfo } = await connection.directory();
    const tomorrow = Date.now() + DAY_MS * (1 + JITTER * Math.random());
    return new Date(renewalInfo === undefined ? renewAt : Math.min(renewAt.getTime(), tomorrow));
  }

  #connected(): Promise<AcmeConnection> {
    this.#connection ??= this.#connect();
    this.#connection.catch(() => {
      this.#connection = undefined;
    });
    return this.#connection;
  }

  async #connect(): Promise<AcmeConnection> {
    const { db, secrets, outbound, config } = this.#services;
    const fresh = () =>
      secrets.seal(Buffer.from(exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)));
    const key = createPrivateKey(secrets.open(await findAccountKey(db, this.#directory, fresh)));
    const connection = new AcmeConnection(outbound, this.#directory, key);
    await register(connection, config.acme?.email);
    return connection;
  }
}
