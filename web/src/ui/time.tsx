import { useEffect, useState } from 'react';
import { formatDate, formatMoment, formatRelative, formatUtc, splitAtInstants } from './format-time.ts';

/** Now, looked at again twice a minute. */
export function useNowMs(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** "5 minutes ago", with the exact time and UTC on hover; updates by itself. */
export function Time({ iso, className }: { iso: string; className?: string }) {
  const nowMs = useNowMs();
  return (
    <time dateTime={iso} title={`${formatMoment(iso)}\n${formatUtc(iso)}`} className={className}>
      {formatRelative(iso, nowMs)}
    </time>
  );
}

export function DateOnly({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={`${formatMoment(iso)}\n${formatUtc(iso)}`}>
      {formatDate(iso)}
    </time>
  );
}

/** An exact time, with UTC on hover. */
export function Moment({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatUtc(iso)}>
      {formatMoment(iso)}
    </time>
  );
}

/** Renders a message of the API with its UTC timestamps in the reader's local time. */
export function TextWithMoments({ text }: { text: string }) {
  return splitAtInstants(text).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name, and never move.
    typeof part === 'string' ? part : <Moment key={index} iso={part.iso} />,
  );
}
