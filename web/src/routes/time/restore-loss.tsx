import type { ReactNode } from 'react';
import type { BadgeTone } from '../../ui/badge.tsx';
import { dateFormat } from '../../ui/clock.ts';
import { cx } from '../../ui/cx.ts';
import { capitalise } from '../../ui/format.ts';
import { MomentIcon } from './moment-icon.tsx';
import type { Happened } from './moments.ts';
import type { RestoreWish } from './time-queries.ts';

const clock = dateFormat({ hour: 'numeric', minute: '2-digit' });
const inFiles = new Set<Happened['kind']>(['plugin', 'theme', 'file', 'core']);

type RestoreLossProps = { wish: RestoreWish; happened: Happened[] };

/** What a restore takes away, brings back and changes back, as people call it. */
export function RestoreLoss({ wish, happened }: RestoreLossProps) {
  const concerned = happened.filter(({ kind }) => {
    if (kind === 'media') return true;
    return inFiles.has(kind) ? wish.restore_cms_content : wish.restore_db;
  });
  // Files that came later stay, unless somebody wants them gone.
  const stays = ({ kind }: Happened) => inFiles.has(kind) && !wish.delete_extra_files;
  const lost = concerned.filter((each) => each.change === 'added' && !stays(each));
  const back = concerned.filter(({ change }) => change === 'removed');
  const changed = concerned.filter(({ change }) => change === 'changed');
  const since = clock.format(new Date(wish.restore_point));
  if (lost.length + back.length + changed.length === 0)
    return <p className="text-muted">No post, plugin, comment, setting or user differs from this minute.</p>;
  return (
    <div className="grid gap-4">
      <Block tone="danger" title={`Lost: came after ${since}`} happened={lost} />
      <Block tone="accent" title="Comes back" happened={back} />
      <Block tone="warn" title="Goes back to how it was" happened={changed} />
    </div>
  );
}

const tones: Partial<Record<BadgeTone, string>> = {
  danger: 'border-danger/40 bg-danger-soft text-danger-text',
  accent: 'border-accent/40 bg-accent-soft text-accent-text',
  warn: 'border-line bg-raised text-fg',
};
const shown = 12;

function Block({ tone, title, happened }: { tone: BadgeTone; title: ReactNode; happened: Happened[] }) {
  if (happened.length === 0) return null;
  return (
    <section className={cx('rounded-lg border px-4 py-3', tones[tone])}>
      <h3 className="mb-2 font-medium">{title}</h3>
      <ul className="grid gap-1.5">
        {happened.slice(0, shown).map(({ kind, what, text }) => (
          <li key={text} className="flex items-center gap-2.5">
            <MomentIcon kind={kind} className="size-6 bg-surface" />
            <span className="min-w-0">{capitalise(what)}</span>
          </li>
        ))}
        {happened.length > shown && <li className="pl-8.5">and {happened.length - shown} more</li>}
      </ul>
    </section>
  );
}
