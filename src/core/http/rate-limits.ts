import type { Caller } from '#core/auth/caller.ts';

const PER_MINUTE = {
  read: 1200,
  write: 300,
  /** With all credentials together: room for a browser and three busy scripts. */
  readOfPerson: 4800,
  writeOfPerson: 1200,
  signIn: 20,
  /** Wrong passwords for one account from one address, and for one account from everywhere. */
  failedSignIn: 10,
  failedSignInOfAccount: 100,
  /** Wrong passwords from a browser that has signed in to the account before, or is signed in. */
  failedSignInOfDevice: 10,
  /** Wrong answers to the step after the password, for one account from one address, and from everywhere. */
  failedSecondStep: 10,
  failedSecondStepOfAccount: 20,
  /** Codes of programs that sign in, typed wrongly, by one person or from one address. */
  failedDeviceCode: 10,
  devicePoll: 120,
  /** Codes that programs ask for, from one address. */
  deviceSignIn: 20,
  /** Programs that make themselves known, from one address. */
  oauthRegistration: 10,
  /** Looks at a site from all sides, by one person: each wakes it and asks elsewhere. */
  diagnosis: 10,
  /** Of one grant; its access tokens last an hour. */
  oauthRefresh: 10,
  badToken: 300,
  /** Keys that open nothing, from one address: somebody's program tries all that it has. */
  failedSsh: 60,
  /** Of those who have not said yet who they are: agreeing on keys costs us more than them. */
  sshConnection: 120,
  paymentEvent: 6000,
  gitPush: 600,
} as const;
const PER_HOUR = {
  /** How many registered addresses one client can discover by trying to register them. */
  takenAddress: 10,
} as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SWEEP_ABOVE = 10_000;
const SWEEP_EVERY_MS = 5_000;
const FORGET_ABOVE = 500_000;

export type LimitName = keyof typeof PER_MINUTE | keyof typeof PER_HOUR;

function limitOf(name: LimitName): { uses: number; windowMs: number } {
  if (name in PER_HOUR) return { uses: PER_HOUR[name as keyof typeof PER_HOUR], windowMs: HOUR_MS };
  return { uses: PER_MINUTE[name as keyof typeof PER_MINUTE], windowMs: MINUTE_MS };
}

/** A use, or one that is taken back. */
export interface LimitUse {
  name: LimitName;
  key: string;
  uses: 1 | -1;
}

export interface LimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
  exceeded: boolean;
}

/**
 * Counts per minute or hour, in memory: a limit protects the process that counts, or the processes that share its port.
 * A fleet of n of them lets n times as much through, which docs/decisions/0004 weighs.
 */
export class RateLimits {
  readonly #factor: number;
  /** Told of every use that counts here. */
  readonly #onUse: (use: LimitUse) => void;
  readonly #windows = new Map<string, { count: number; endsAt: number }>();
  #sweptAt = 0;

  constructor(factor: number, onUse: (use: LimitUse) => void = () => undefined) {
    this.#factor = factor;
    this.#onUse = onUse;
  }

  /** Counts one use. With a factor of 0 nothing is limited. */
  take(name: LimitName, key: string): LimitState {
    this.#onUse({ name, key, uses: 1 });
    return this.#state(name, key, 1);
  }

  /** Takes back one use, of something that turned out not to count. */
  giveBack(name: LimitName, key: string): void {
    this.#onUse({ name, key, uses: -1 });
    this.#state(name, key, -1);
  }

  /** Counts what another process counted, for those that answer on the same port. */
  count({ name, key, uses }: LimitUse): void {
    this.#state(name, key, uses);
  }

  /** Looks without counting. */
  peek(name: LimitName, key: string): LimitState {
    return this.#state(name, key, 0);
  }

  #state(name: LimitName, key: string, uses: number): LimitState {
    const { uses: allowed, windowMs } = limitOf(name);
    const limit = Math.ceil(allowed * this.#factor);
    const now = performance.now();
    const id = `${name}:${key}`;
    let window = this.#windows.get(id);
    if (!window || window.endsAt <= now) {
      window = { count: 0, endsAt: now + windowMs };
      if (uses > 0) this.#remember(id, window, now);
    }
    window.count += uses;
    const resetSeconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    const remaining = Math.max(0, limit - window.count);
    return {
      limit,
      remaining,
      resetSeconds,
      exceeded: limit > 0 && (uses > 0 ? window.count > limit : window.count >= limit),
    };
  }

  #remember(id: string, window: { count: number; endsAt: number }, now: number): void {
    if (this.#windows.size >= SWEEP_ABOVE && now - this.#sweptAt > SWEEP_EVERY_MS) {
      this.#sweptAt = now;
      for (const [key, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(key);
    }
    // Forgetting everybody is the lesser harm when so many addresses come that remembering them would fill the memory.
    if (this.#windows.size >= FORGET_ABOVE) this.#windows.clear();
    this.#windows.set(id, window);
  }
}

/**
 * Counts a call for the credential and for its owner, and returns the state of the limit with fewer calls remaining. A
 * call over the limit of the credential does not count for the owner, so that one runaway script does not lock out the
 * owner's browser.
 */
export function takeForCaller(limits: RateLimits, name: 'read' | 'write', caller: Caller): LimitState {
  const ofCredential = limits.take(name, caller.credential.id);
  if (ofCredential.exceeded) return ofCredential;
  const ofPerson = limits.take(`${name}OfPerson`, caller.viewedBy ?? caller.userId);
  return ofPerson.exceeded || ofPerson.remaining < ofCredential.remaining ? ofPerson : ofCredential;
}

/**
 * Limits on calls that create rows or reveal other accounts count an IPv6 /48 as one address, since one customer can
 * own it.
 */
const WIDELY_COUNTED: ReadonlySet<LimitName> = new Set(['oauthRegistration', 'deviceSignIn', 'takenAddress']);

/** Whom a limit counts an address as. */
export const countedAddress = (name: LimitName, ip: string): string =>
  addressKey(ip, WIDELY_COUNTED.has(name) ? 48 : 64);

/** An IPv6 customer owns at least a /64, so that is what counts as one address; many own a whole /48. */
export function addressKey(ip: string, bits: 48 | 64 = 64): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const zeros = ip.includes('::') ? Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0') : [];
  return `${[...groups, ...zeros, ...rest].slice(0, bits / 16).join(':')}::/${bits}`;
}
