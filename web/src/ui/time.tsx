import { useEffect, useState } from 'react';
import { dateFormat } from './clock.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const full = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
const dateOnly = dateFormat({ dateStyle: 'medium' });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const moment = dateFormat({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});

/** To the second, by the reader's own clock. */
export function formatMoment(time: string | number): string {
  return moment.format(new Date(time));
}

/** Now, looked at again twice a minute. */
export function useNowMs(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

export function formatDate(iso: string): string {
  return dateOnly.format(new Date(iso));
}

function formatRelative(iso: string, nowMs: number): string {
  const seconds = (new Date(iso).getTime() - nowMs) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : 'just now';
}

/** "5 minutes ago", with the exact moment on hover; it moves on by itself. */
export function Time({ iso, className }: { iso: string; className?: string }) {
  const nowMs = useNowMs();
  return (
    <time dateTime={iso} title={full.format(new Date(iso))} className={className}>
      {formatRelative(iso, nowMs)}
    </time>
  );
}

export function DateOnly({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={full.format(new Date(iso))}>
      {formatDate(iso)}
    </time>
  );
}
