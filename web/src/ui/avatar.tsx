import { cx } from './cx.ts';

/** Initials on a quiet colour that stays the same for the same id. */
export function Avatar({ name, id, className }: { name: string; id: string; className?: string }) {
  const initials = name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0])
    .join('')
    .toUpperCase();
  return (
    <span
      aria-hidden="true"
      style={{ '--hue': hueOf(id) } as React.CSSProperties}
      className={cx(
        'inline-grid size-8 shrink-0 select-none place-items-center rounded-full bg-[oklch(0.92_0.04_var(--hue))] font-medium text-[oklch(0.38_0.08_var(--hue))] text-xs dark:bg-[oklch(0.32_0.05_var(--hue))] dark:text-[oklch(0.88_0.06_var(--hue))]',
        className,
      )}
    >
      {initials || '?'}
    </span>
  );
}

function hueOf(id: string): number {
  let sum = 0;
  for (const char of id) sum = (sum * 31 + char.charCodeAt(0)) % 360;
  return sum;
}
