import type { Site } from '#sdk';
import { cx } from '../ui/cx.ts';

/** What stands for a site in a list: a calm drawing of a page in colours that are always the same for one site. */
export function SitePicture({ site, className }: { site: Site; className?: string }) {
  const hue = hueOf(site.id);
  return (
    <span
      aria-hidden="true"
      className={cx('relative block aspect-[8/5] overflow-hidden rounded-lg border border-line bg-raised', className)}
      style={{ background: `linear-gradient(150deg, oklch(0.62 0.07 ${hue}), oklch(0.4 0.08 ${(hue + 40) % 360}))` }}
    >
      <span className="absolute inset-x-0 top-0 flex gap-1 p-2">
        {[0, 1, 2].map((dot) => (
          <span key={dot} className="size-1.5 rounded-full bg-white/40" />
        ))}
      </span>
      <span className="absolute inset-x-5 bottom-5 line-clamp-2 font-semibold text-lg text-white leading-6 tracking-tight">
        {site.title || site.fqdn}
      </span>
    </span>
  );
}

function hueOf(id: string): number {
  return Number.parseInt(id.slice(0, 4), 16) % 360;
}
