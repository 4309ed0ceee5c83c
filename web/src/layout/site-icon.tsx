import { useEffect, useRef, useState } from 'react';
import type { Site } from '#sdk';
import { cx } from '../ui/cx.ts';
import { visit } from '../visit.ts';

/** The site's own icon, or the first letter of its name for as long as it has none that can be read. */
export function SiteIcon({ site, className }: { site: Site; className?: string }) {
  const [unreadable, setUnreadable] = useState<string>();
  const isOwn = !site.favicon_url.startsWith(`${visit().origin}/`) && unreadable !== site.favicon_url;
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    // On a page that the server drew it may have failed before anybody listened.
    if (image.current?.complete) image.current.decode().catch(() => setUnreadable(site.favicon_url));
  }, [site.favicon_url]);
  return (
    <span
      aria-hidden="true"
      className={cx(
        'grid size-9 shrink-0 select-none place-items-center overflow-hidden rounded-lg bg-accent-soft font-semibold text-accent-text',
        isOwn && 'border border-line bg-surface',
        className,
      )}
    >
      {isOwn ? (
        <img
          ref={image}
          src={site.favicon_url}
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => setUnreadable(site.favicon_url)}
          className="size-full object-contain p-1"
        />
      ) : (
        site.fqdn.charAt(0).toUpperCase()
      )}
    </span>
  );
}
