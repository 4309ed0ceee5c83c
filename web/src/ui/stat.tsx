import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import { Sparkline } from './sparkline.tsx';

type StatProps = { name: string; value: ReactNode; hint?: ReactNode; points?: number[] | undefined };

/** One figure with its name, and how it went lately. It has the same height with and without a line. */
export function Stat({ name, value, hint, points }: StatProps) {
  return (
    <Card className="overflow-hidden">
      <div className="px-5 pt-4">
        <p className="text-muted text-xs">{name}</p>
        <p className="mt-1 font-semibold text-2xl tabular-nums leading-8 tracking-tight">{value}</p>
        <p className="h-4 truncate text-muted text-xs leading-4">{hint}</p>
      </div>
      <div className="mt-2 h-9 pt-2">{points && <Sparkline values={points} />}</div>
    </Card>
  );
}
