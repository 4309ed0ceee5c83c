import { CRON_OPTION } from './schema.ts';
import type { Step } from './steps.ts';
import type { Turn } from './turn.ts';

/** Work for a time, once or again and again; that which has no steps only comes. */
interface Planned {
  at: number;
  every?: number;
  steps?: Step[];
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

async function planned(turn: Turn): Promise<Planned[]> {
  const all: unknown = JSON.parse((await turn.option(CRON_OPTION)) ?? '[]');
  return Array.isArray(all) ? (all as Planned[]) : [];
}

/** Nobody sees on a page what is planned. */
async function plan(turn: Turn, all: Planned[]): Promise<void> {
  const { hasChanged } = turn;
  await turn.setOption(CRON_OPTION, JSON.stringify(all));
  turn.hasChanged = hasChanged;
}

export async function schedule(turn: Turn, at: number, steps: Step[]): Promise<void> {
  await plan(turn, [...(await planned(turn)), { at, steps }]);
}

/** Does what is due: planned work, and posts whose time has come. Nothing of a preview. */
export async function runDue(turn: Turn, run: (steps: readonly Step[]) => Promise<void>): Promise<void> {
  if (turn.site.isOffline) return;
  const now = nowSeconds();
  const all = await planned(turn);
  const due = all.filter(({ at }) => at <= now);
  if (due.length > 0) {
    const again = due.flatMap((work) => (work.every ? [{ ...work, at: now + work.every }] : []));
    await plan(turn, [...all.filter(({ at }) => at > now), ...again]);
  }
  for (const { steps } of due) if (steps) await run(steps);
  const published = await turn.query(
    "update wp_posts set post_status = 'publish' where post_status = 'future' and post_date_gmt <= datetime(?, 'unixepoch') returning ID",
    now,
  );
  turn.hasChanged ||= published.length > 0;
}

/** When something is due next; null where nothing is. */
export async function nextDue(turn: Turn): Promise<number | null> {
  const times = (await planned(turn)).map(({ at }) => at);
  const [post] = await turn.query(
    "select cast(strftime('%s', min(post_date_gmt)) as integer) as at from wp_posts where post_status = 'future'",
  );
  if (typeof post?.at === 'number') times.push(post.at);
  return times.length === 0 ? null : Math.min(...times);
}
