/**
 * Who makes way where memory is short. A site that has woken serves for a least time, so that the machine does not spend itself on waking
 * sites; then it lets others have a turn, the team first that has most. A page that goes on beyond a short patience is ended for
 * somebody who has less even with what they ask for; for somebody who would have as much, only when it has gone on for long.
 */

/** A site that has had a turn since then. */
export interface InTurn {
  team: string;
  since: number;
}

/** A process at a request or a command, and how long it has taken by now. */
export interface AtWork {
  team: string;
  spentMs: number;
  /** It is a page that somebody reads, and can be asked for again. */
  isRead: boolean;
}

/** The team that waits, and since when. */
export interface Asking {
  team: string;
  since: number;
}

/** What each team has of the memory now. */
export type Held = ReadonlyMap<string, number>;

/** Somebody has waited so long when a request of others is ended for them. */
const PATIENCE_MS = 4_000;
/** So long a page may take in any case; so long whatever changes something, and where its team has no more than the one that waits will have. */
const REQUEST_MS = 8_000;
const LONG_REQUEST_MS = 15_000;
/** What somebody who waits will have besides what they have. */
const ASKED_BYTES = 400 * 1024 * 1024;
/** Teams differ by less than this where they have as many processes. */
const ABOUT_THE_SAME_BYTES = 200 * 1024 * 1024;
/** Within this time everybody who waits should have had a turn: a visitor waits a little longer. */
const ROUND_MS = 20_000;
const LONGEST_TURN_MS = 30_000;
/** A site that nobody asked for in this time goes before its turn is over. */
const UNUSED_MS = 1_000;

/**
 * How long a site serves before it makes way, so that all who wait get a turn in time. Never less than what a start takes, else the machine would
 * do little but start sites.
 */
export function turnMs(processes: number, waiting: number, startMs: number): number {
  const wanted = (ROUND_MS * processes) / Math.max(1, waiting) - startMs;
  return Math.min(LONGEST_TURN_MS, Math.max(startMs, wanted));
}

/** Whether a site that nobody asks anything of right now may be put to sleep for another. */
export function mayBePutToSleep(site: { lastUsedAt: number; since: number }, turn: number, now: number): boolean {
  return now - site.lastUsedAt > UNUSED_MS || now - site.since > turn;
}

/** Of those whose turn is over, who lets somebody else have theirs: of the team with most, the one that has had it for longest. */
export function nextInTurn<H extends InTurn>(
  asking: Asking,
  holders: readonly H[],
  held: Held,
  turn: number,
  now: number,
): H | undefined {
  const of = (team: string) => held.get(team) ?? 0;
  return holders
    .filter(({ team, since }) => now - since > turn && of(team) > of(asking.team) - ABOUT_THE_SAME_BYTES)
    .sort((a, b) => of(b.team) - of(a.team) || a.since - b.since)[0];
}

/** Whose request is ended, where any is: of the team with most, the one that has taken longest. A team's own are never ended for it. */
export function whoIsEnded<H extends AtWork>(
  asking: Asking,
  busy: readonly H[],
  held: Held,
  now: number,
): H | undefined {
  if (now - asking.since < PATIENCE_MS) return undefined;
  const of = (team: string) => held.get(team) ?? 0;
  const patience = ({ team, isRead }: H) => {
    const lead = of(team) - (of(asking.team) + ASKED_BYTES);
    if (lead <= -ABOUT_THE_SAME_BYTES) return Number.POSITIVE_INFINITY;
    return isRead && lead > ABOUT_THE_SAME_BYTES ? REQUEST_MS : LONG_REQUEST_MS;
  };
  return busy
    .filter((each) => each.team !== asking.team && each.spentMs >= patience(each))
    .sort((a, b) => of(b.team) - of(a.team) || b.spentMs - a.spentMs)[0];
}
