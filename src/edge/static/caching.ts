import { httpDate } from '../clock.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { tailLines } from '../ready-answer.ts';

const SHORT_SECONDS = 600;
// WordPress puts a new version into the address when such a file changes.
const LONG_SECONDS = 365 * 24 * 3600;

interface Caching {
  second: number;
  value: string;
  headers: RawHeaders;
  text: string;
}

const kinds: Caching[] = ['public', 'private'].flatMap((scope) =>
  [SHORT_SECONDS, LONG_SECONDS].map((seconds) => ({
    second: 0,
    value: `${scope}, max-age=${seconds}`,
    headers: [],
    text: '',
  })),
);

/** Cache-Control and Date of a file's answer; all answers of one kind within a second share them. */
export function cachingFor(isPrivate: boolean, isVersioned: boolean): Caching {
  const kind = kinds[(isPrivate ? 2 : 0) + (isVersioned ? 1 : 0)] as Caching;
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1000);
  if (kind.second !== second) {
    kind.second = second;
    kind.headers = ['Cache-Control', kind.value, 'Date', httpDate(nowMs)];
    kind.text = tailLines(kind.headers);
  }
  return kind;
}
