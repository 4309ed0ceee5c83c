import { httpDate } from '../clock.ts';
import type { Keepers } from '../gate.ts';
import { KEPT_BY_NOBODY } from '../preview.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { tailLines } from '../ready-answer.ts';

const SHORT_SECONDS = 600;
// WordPress puts a new version into the address when such a file changes.
const LONG_SECONDS = 365 * 24 * 3600;

export interface Caching {
  second: number;
  /** What does not change with the second. */
  lasting: RawHeaders;
  headers: RawHeaders;
  text: string;
}

const kinds: Record<Keepers, { unversioned: Caching; versioned: Caching }> = {
  everybody: { unversioned: keptFor('public', SHORT_SECONDS), versioned: keptFor('public', LONG_SECONDS) },
  visitor: { unversioned: keptFor('private', SHORT_SECONDS), versioned: keptFor('private', LONG_SECONDS) },
  nobody: { unversioned: caching(KEPT_BY_NOBODY), versioned: caching(KEPT_BY_NOBODY) },
};

function keptFor(scope: 'public' | 'private', seconds: number): Caching {
  return caching(['Cache-Control', `${scope}, max-age=${seconds}`]);
}

function caching(lasting: RawHeaders): Caching {
  return { second: 0, lasting, headers: [], text: '' };
}

/** Cache-Control and Date of a file's answer; all answers of one kind within a second share them. */
export function cachingFor(keepers: Keepers, isVersioned: boolean): Caching {
  const kind = kinds[keepers][isVersioned ? 'versioned' : 'unversioned'];
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1000);
  if (kind.second !== second) {
    kind.second = second;
    kind.headers = [...kind.lasting, 'Date', httpDate(nowMs)];
    kind.text = tailLines(kind.headers);
  }
  return kind;
}
