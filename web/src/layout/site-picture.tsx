import { useEffect, useState } from 'react';
import type { Site } from '#sdk';
import { cx } from '../ui/cx.ts';

/** A drawing of this width stands in for a picture that is being taken (getSitePicture). */
const waitingWidth = 640;
const againMs = [4_000, 8_000, 15_000, 30_000];

/** What a site looks like. The picture has its place before it is there, and where it can not be had the place stays plain. */
export function SitePicture({ site, className }: { site: Pick<Site, 'fqdn'>; className?: string }) {
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<'loading' | 'waiting' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    if (state !== 'waiting') return;
    const delay = againMs[tries];
    if (delay === undefined) return;
    const timer = setTimeout(() => {
      setTries(tries + 1);
      setState('loading');
    }, delay);
    return () => clearTimeout(timer);
  }, [state, tries]);
  return (
    <span
      aria-hidden="true"
      className={cx('block aspect-[8/5] overflow-hidden rounded-lg border border-line bg-raised', className)}
    >
      {state !== 'failed' && (
        <img
          src={`/f/api/v1/site/${site.fqdn}/picture${tries > 0 ? `?version=${tries}` : ''}`}
          alt=""
          width={960}
          height={600}
          loading="lazy"
          decoding="async"
          onLoad={({ currentTarget }) => setState(currentTarget.naturalWidth === waitingWidth ? 'waiting' : 'shown')}
          onError={() => setState('failed')}
          className="size-full object-cover object-top"
        />
      )}
    </span>
  );
}
