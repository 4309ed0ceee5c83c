import { cx } from './cx.ts';

const WIDTH = 100;
const HEIGHT = 28;

/** The shape of a few figures, oldest first, without axes: what they are is said beside it. Nothing but zeros is a flat, grey line. */
export function Sparkline({ values, className }: { values: number[]; className?: string }) {
  const isFlat = values.every((value) => value === 0);
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${index * step},${HEIGHT - 1 - (value / top) * (HEIGHT - 3)}`);
  const line = points.length > 1 ? points.join(' ') : `0,${HEIGHT - 1} ${WIDTH},${HEIGHT - 1}`;
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={cx('block h-7 w-full overflow-visible', isFlat ? 'text-line-strong' : 'text-accent', className)}
    >
      {!isFlat && <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} className="fill-accent opacity-10" />}
      <polyline
        points={line}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
