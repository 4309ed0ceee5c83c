/**
 * Who makes way where memory is short. A site that has woken serves for a least time, so that the machine does not spend itself on waking
 * sites; then it lets others have a turn, the team first that has most. A request that goes on beyond a short patience is ended for
 * somebody who has less, and for somebody who has as much only when it has gone on for long.
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
/** So long it may take in any case; and so long where its team has no more than the one that waits. */
const REQUEST_MS = 8_000;
const EQUALS_REQUEST_MS = 15_000;
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
  const patience = (team: string) => {
    const lead = of(team) - of(asking.team);
    if (lead > ABOUT_THE_SAME_BYTES) return REQUEST_MS;
    return lead > -ABOUT_THE_SAME_BYTES ? EQUALS_REQUEST_MS : Number.POSITIVE_INFINITY;
  };
  return busy
    .filter(({ team, spentMs }) => team !== asking.team && spentMs >= patience(team))
    .sort((a, b) => of(b.team) - of(a.team) || b.spentMs - a.spentMs)[0];
}
