import type { Shares } from '#core/shares.ts';
import type { Terminal, TerminalOptions } from '#runtimes/runtime.ts';
import type { HostedSpec, OpenTerminal, TerminalEnd, TerminalWish } from '../site-host.ts';
import { type SessionTimes, TerminalSession } from './terminal-session.ts';

const TIMES: SessionTimes = { unattendedMs: 5 * 60_000, idleMs: 30 * 60_000 };

interface Known {
  siteId: string;
  owner: string;
  /** Several may ask for a new one at once, as where a page is loaded twice. */
  session: Promise<TerminalSession>;
}

/** The terminals of this host, by the numbers that they were opened under. */
export class TerminalSessions {
  readonly #open: (site: HostedSpec, options: TerminalOptions) => Promise<Terminal>;
  readonly #seats: Shares;
  readonly #times: SessionTimes;
  readonly #known = new Map<string, Known>();

  constructor(open: (site: HostedSpec, options: TerminalOptions) => Promise<Terminal>, seats: Shares, times = TIMES) {
    this.#open = open;
    this.#seats = seats;
    this.#times = times;
  }

  async attend(site: HostedSpec, wish: TerminalWish): Promise<TerminalEnd> {
    const { session: id, owner, mayOpen } = wish;
    const known = this.#known.get(id);
    if (known && (known.siteId !== site.id || known.owner !== owner)) return { why: 'missing' };
    if (known) return (await known.session).attend(wish, false);
    if (!mayOpen) return { why: 'missing' };
    const release = this.#seats.take(site.team);
    if (!release) return { why: 'full' };
    const session = this.#begin(site, wish);
    this.#known.set(id, { siteId: site.id, owner, session });
    const forget = () => {
      this.#known.delete(id);
      release();
    };
    session.then(({ ended }) => ended.then(forget), forget);
    return (await session).attend(wish, true);
  }

  async list(siteId: string, { owner, team }: { owner: string; team: string }) {
    const theirs = [...this.#known].filter(([, known]) => known.siteId === siteId && known.owner === owner);
    const own = await Promise.all(
      theirs.map(async ([session, known]): Promise<OpenTerminal> => {
        const { openedAt, isAttended } = await known.session;
        return { session, openedAt, isAttended };
      }),
    );
    return { own, isFull: this.#seats.isFull(team) };
  }

  async end(siteId: string, owner: string, id: string): Promise<boolean> {
    const known = this.#known.get(id);
    if (known?.siteId !== siteId || known.owner !== owner) return false;
    const session = await known.session;
    session.end({ why: 'ended' });
    await session.ended;
    return true;
  }

  /** Some work wants the site to itself. Whoever suspends it waits for the end. */
  stop(siteId: string): void {
    for (const known of this.#known.values())
      if (known.siteId === siteId)
        known.session.then(
          (session) => session.end({ why: 'stopped' }),
          () => {},
        );
  }

  async #begin(site: HostedSpec, { columns, rows, maxDiskBytes }: TerminalOptions): Promise<TerminalSession> {
    const options = { columns, rows, ...(maxDiskBytes !== undefined && { maxDiskBytes }) };
    return new TerminalSession(await this.#open(site, options), this.#times);
  }
}
