import { useEffect, useRef, useState } from 'react';
import type { Site } from '#sdk';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { EyeIcon } from '../../ui/icons.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { Moment } from '../../ui/time.tsx';
import { useFramed } from './previews.ts';

type ThenAndNowProps = {
  site: Site;
  stage: boolean;
  then: string;
  now: string;
  isOpen: boolean;
  onOpen: () => void;
};

/** The site of that minute beside the newest one. Two copies of it are made, so only for whoever asks. */
export function ThenAndNow({ isOpen, onOpen, ...props }: ThenAndNowProps) {
  return (
    <section aria-label="The site then and now">
      <h3 className="mb-3 font-semibold">Then and now</h3>
      {isOpen ? (
        <Frames {...props} />
      ) : (
        <div className="grid aspect-[16/6] min-h-44 w-full place-items-center rounded-lg border border-line border-dashed bg-raised/40 p-4 text-center">
          <div className="grid justify-items-center gap-3">
            <p className="max-w-sm text-balance text-muted">
              See the site as it was beside the site as it is. Both are copies: nothing you see here reaches your
              visitors.
            </p>
            <Button variant="secondary" disabled={props.site.busy !== null} onClick={onOpen}>
              <EyeIcon /> Show then and now
            </Button>
          </div>
        </div>
      )}
    </section>
  );
}

/** What a page of that width looks like, scaled to what is there. */
const pageWidth = 1280;
const pageHeight = 720;

function Frames({ site, stage, then, now }: Omit<ThenAndNowProps, 'isOpen' | 'onOpen'>) {
  const [place, setPlace] = useState(50);
  // A copy that nobody has asked for anything yet takes a while to wake.
  const [awake, setAwake] = useState<ReadonlySet<string>>(new Set());
  const wake = (title: string) => setAwake((known) => new Set([...known, title]));
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const past = useFramed(site, stage, then);
  const present = useFramed(site, stage, now);
  const error = past.error ?? present.error;
  if (error) return <Alert tone="danger">{messageOf(error)}</Alert>;
  const scale = width / pageWidth;
  return (
    <div className="grid gap-2">
      <div className="flex justify-between gap-4 text-muted text-xs">
        <span>
          Then: <Moment iso={then} />
        </span>
        <span>
          Now: <Moment iso={now} />
        </span>
      </div>
      <div
        ref={box}
        className="relative aspect-video w-full overflow-hidden rounded-lg border border-line bg-raised focus-within:outline-2 focus-within:outline-accent"
      >
        {past.data && present.data ? (
          <>
            <Frame title="The site now" url={present.data.url} scale={scale} onLoad={wake} />
            <div className="absolute inset-0" style={{ clipPath: `inset(0 ${100 - place}% 0 0)` }}>
              <Frame title="The site then" url={past.data.url} scale={scale} onLoad={wake} />
            </div>
            <span
              aria-hidden
              className="-ml-px pointer-events-none absolute inset-y-0 w-0.5 bg-accent shadow-pop"
              style={{ left: `${place}%` }}
            >
              <span className="-translate-x-1/2 -translate-y-1/2 absolute top-1/2 left-1/2 grid size-8 place-items-center rounded-full bg-accent font-medium text-accent-fg text-xs">
                ↔
              </span>
            </span>
            <input
              type="range"
              aria-label="How much of the site then is shown"
              min={0}
              max={100}
              value={place}
              onChange={(event) => setPlace(Number(event.currentTarget.value))}
              className="absolute inset-0 size-full cursor-ew-resize opacity-0"
            />
          </>
        ) : null}
        {awake.size < 2 && (
          <p role="status" className="absolute inset-0 flex items-center justify-center gap-2.5 bg-raised text-muted">
            <Spinner /> {past.data && present.data ? 'Waking the copies …' : 'Making two copies of the site …'}
          </p>
        )}
      </div>
    </div>
  );
}

/**
 * A page of the site, which is a stranger here: it runs, under a host of its own, and can neither leave its frame nor learn where that is. Nobody
 * clicks in it, so that a hand can move the divider.
 */
type FrameProps = { title: string; url: string; scale: number; onLoad: (title: string) => void };

function Frame({ title, url, scale, onLoad }: FrameProps) {
  return (
    <iframe
      title={title}
      src={url}
      onLoad={() => onLoad(title)}
      sandbox="allow-scripts allow-same-origin"
      referrerPolicy="no-referrer"
      tabIndex={-1}
      className="pointer-events-none absolute top-0 left-0 origin-top-left border-0 bg-white"
      style={{ width: pageWidth, height: pageHeight, transform: `scale(${scale})` }}
    />
  );
}

function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(pageWidth);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
