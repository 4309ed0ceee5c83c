import { useEffect, useRef, useState } from 'react';
import type { Site } from '#sdk';
import { pictureAddress } from '../api/pictures.ts';
import { cx } from '../ui/cx.ts';

/** A drawing of this width stands in for a picture that is being taken (getSitePicture). */
const waitingWidth = 640;
const againMs = [4_000, 8_000, 15_000, 30_000];

type State = 'loading' | 'waiting' | 'shown' | 'failed';

function stateOf({ naturalWidth }: HTMLImageElement): State {
  if (naturalWidth === 0) return 'failed';
  return naturalWidth === waitingWidth ? 'waiting' : 'shown';
}

type SitePictureProps = {
  site: Pick<Site, 'fqdn'>;
  /** Whether it is wanted at once, and not when it comes into sight. */
  isFirst?: boolean | undefined;
  className?: string;
};

/**
 * What a site looks like. The picture has its place before it is there. Where it can not be had, as when an operator views somebody's account, a
 * letter stands there.
 */
export function SitePicture({ site, isFirst, className }: SitePictureProps) {
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<State>('loading');
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    // On a page that the server drew it may have come, or failed, before anybody listened.
    if (image.current?.complete) setState(stateOf(image.current));
  }, []);
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
      {state === 'failed' ? (
        <span className="grid size-full place-items-center bg-accent-soft font-semibold text-4xl text-accent-text">
          {site.fqdn.charAt(0).toUpperCase()}
        </span>
      ) : (
        <img
          ref={image}
          src={`${pictureAddress(site.fqdn)}${tries > 0 ? `?version=${tries}` : ''}`}
          alt=""
          width={960}
          height={600}
          loading={isFirst ? 'eager' : 'lazy'}
          decoding={isFirst ? 'sync' : 'async'}
          fetchPriority={isFirst ? 'high' : 'auto'}
          onLoad={({ currentTarget }) => setState(stateOf(currentTarget))}
          onError={() => setState('failed')}
          className="size-full object-cover object-top"
        />
      )}
    </span>
  );
}
