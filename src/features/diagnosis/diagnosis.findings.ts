import { MASK } from '#core/mask-secrets.ts';
import type { Finding, FrontPage, LastError, Suggestion } from './diagnosis.schema.ts';
import { type ChangedPart, type Changes, type FileChange, partOf } from './look.changes.ts';

/** All that was seen, as far as it was. */
export interface Sight {
  fqdn: string;
  busy: string | null;
  isActive: boolean;
  frontPage: FrontPage | undefined;
  errors: LastError[] | undefined;
  changes: Changes | undefined;
  /** What a plugin or a theme calls itself, where that is known. */
  titleOf: (kind: string, name: string) => string | undefined;
  dns: { ok: boolean; text: string } | undefined;
  certificate: { ok: boolean } | undefined;
  certificateText: string;
  plan: { ok: boolean; text: string } | undefined;
  /** Of the last day; 95 of 100 requests took at most `p95_ms`. */
  traffic: { requests: number; p95_ms: number | null } | undefined;
  /** True if the site was started for this check, so the duration is not typical. */
  woke: boolean;
}

/** The worst first. */
export function findingsOf(sight: Sight): Finding[] {
  const slow = ofSpeed(sight);
  const found = [...ofState(sight), ...ofFrontPage(sight), ...slow, ...ofRest(sight)];
  found.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  if (slow.length > 0 || found.some(({ level }) => level === 'problem')) return found;
  return [...found, { level: 'fine', text: 'The front page answers, and nothing looks wrong.', suggestion: null }];
}

const LEVELS: readonly Finding['level'][] = ['problem', 'hint', 'fine'];

function ofState({ busy, isActive }: Sight): Finding[] {
  if (busy !== null)
    return [problem(`Work has the site to itself right now: ${busy}. Visitors wait until it is done.`)];
  if (!isActive)
    return [problem('The site is not active: it is still being created, or its team is suspended or expired.')];
  return [];
}

function ofFrontPage(sight: Sight): Finding[] {
  const { frontPage } = sight;
  if (!frontPage) return sight.busy === null ? [problem('The front page did not answer in time.')] : [];
  if (frontPage.status < 500)
    return frontPage.status >= 400 ? [problem(`The front page answers ${frontPage.status}.`)] : [];
  const since = frontPage.failing_since ? ` since ${clock(frontPage.failing_since)}` : '';
  const fatal = sight.errors?.find(({ level }) => level === 'fatal');
  const said = [`The front page answers ${frontPage.status}${since}.`];
  const culprit = fatal && culpritOf(fatal);
  const file = fatal?.file && !fatal.message.includes(fatal.file) ? ` in ${fatal.file}` : '';
  if (fatal) said.push(`The log says: “${fatal.message}”${file}.`);
  const cause = causeOf(sight, culprit);
  if (!cause) return [problem(said.join(' '))];
  said.push(cause.text);
  return [problem(said.join(' '), restore(sight.fqdn, cause))];
}

/** A page is good below 0.8 s and poor from 1.8 s on (Core Web Vitals, time to first byte); 4 s turn visitors away. */
const SLOW = { hintMs: 1_800, problemMs: 4_000 };
/** Fewer requests in a day say nothing of how fast a site is. */
const FEWEST_REQUESTS = 20;

function ofSpeed({ frontPage, traffic, woke }: Sight): Finding[] {
  const page = frontPage && frontPage.status < 400 && !woke ? frontPage.duration_ms : 0;
  const p95 = traffic && traffic.requests >= FEWEST_REQUESTS ? (traffic.p95_ms ?? 0) : 0;
  return [
    ...slow(page, `The front page took ${seconds(page)} just now.`),
    ...slow(p95, `5 of 100 requests in the last 24 hours took longer than ${seconds(p95)}.`),
  ];
}

function slow(ms: number, text: string): Finding[] {
  if (ms < SLOW.hintMs) return [];
  const advice = 'Check slow plugins, and whether pages come from the cache.';
  return [(ms < SLOW.problemMs ? hint : problem)(`${text} ${advice}`)];
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} seconds`;

interface Cause {
  text: string;
  /** The newest moment that is without it. */
  point: Date;
  /** What has to come back; undefined where nobody knows what changed. */
  part: ChangedPart | undefined;
}

/** What changed shortly before it went wrong: what the log blames where that is among it, else the newest change. */
function causeOf(
  { changes, frontPage, titleOf }: Sight,
  culprit: Pick<ChangedPart, 'kind' | 'name'> | undefined,
): Cause | undefined {
  if (!changes) return undefined;
  const blamed = changes.files.flatMap((change) => {
    const part = change.parts.find(({ kind, name }) => kind === culprit?.kind && name === culprit.name);
    return part ? [{ change, part }] : [];
  })[0];
  if (blamed && isNear(blamed.change, frontPage)) return changedAt(blamed.change, blamed.part, titleOf);
  const since = frontPage?.failing_since ?? null;
  const { newestBackup } = changes;
  // Where no visit went well that anybody knows of, it may have been broken for as long as there are backups.
  if (newestBackup && since && frontPage?.last_good_at && newestBackup < since && culprit?.name)
    return {
      text: `${named(culprit, titleOf)} is what fails, and the newest backup, of ${clock(newestBackup)}, is from before that. Restore that minute?`,
      point: newestBackup,
      part: { ...culprit, files: 1, isNew: false },
    };
  const newest = changes.files.find((change) => isNear(change, frontPage));
  const part = newest?.parts.find(({ kind }) => kind !== 'other');
  return newest && part ? changedAt(newest, part, titleOf) : undefined;
}

const HOUR_MS = 3_600_000;

/**
 * A change from long before the page went wrong is no cause of it, and going back behind it would lose all that people did since. One that
 * a backup shows only after the page began to fail may be the cause as well.
 */
function isNear({ at, before }: FileChange, frontPage: FrontPage | undefined): boolean {
  const { failing_since: since = null, last_good_at: good = null } = frontPage ?? {};
  if (since === null) return false;
  const from = Math.min(since.getTime() - HOUR_MS, good?.getTime() ?? Number.POSITIVE_INFINITY);
  return at.getTime() >= from && before.getTime() <= since.getTime();
}

function changedAt(change: FileChange, part: ChangedPart, titleOf: Sight['titleOf']): Cause {
  const verb = part.isNew ? 'was added' : 'changed';
  const text = `${named(part, titleOf)} ${verb} at ${clock(change.at)}. Restore the site as it was at ${clock(change.before)}?`;
  return { text, point: change.before, part };
}

/**
 * Of a plugin that changed only the files come back: what people wrote since stays. One that is new is still there then; without
 * the database of before it would still be active, and a must-use plugin is active by being there.
 */
function restore(fqdn: string, { point, part }: Cause): Suggestion {
  const restore_db = part === undefined || part.isNew;
  const more = { ...(!restore_db && { restore_db }), ...(part?.isNew && part.kind === 'must-use plugin' && EXTRA) };
  return {
    label: `Restore ${clock(point)}`,
    operation: 'createPitRestore',
    input: { fqdn, restore_point: point.toISOString(), ...more },
  };
}

const EXTRA = { delete_extra_files: true };

function culpritOf({ file, message }: LastError): Pick<ChangedPart, 'kind' | 'name'> | undefined {
  const path = /wp-content\/(\S+?)(?::\d+|\s|$)/.exec(`${file ?? ''} ${message}`)?.[1];
  if (path === undefined || path.includes(MASK)) return undefined;
  const part = partOf(path);
  return part.kind === 'other' ? undefined : part;
}

function ofRest({ dns, certificate, certificateText, plan, errors, frontPage }: Sight): Finding[] {
  const isUp = frontPage !== undefined && frontPage.status < 500;
  const fatal = errors?.find(({ level }) => level === 'fatal');
  return [
    ...(dns && !dns.ok ? [problem(`DNS: ${dns.text}.`)] : []),
    ...(certificate && !certificate.ok ? [problem(certificateText)] : []),
    ...(plan && !plan.ok ? [problem(plan.text)] : []),
    ...(isUp && fatal ? [hint(`The log has a fatal error of ${clock(fatal.at)}: “${fatal.message}”.`)] : []),
  ];
}

const problem = (text: string, suggestion: Suggestion | null = null): Finding => ({
  level: 'problem',
  text,
  suggestion,
});
const hint = (text: string): Finding => ({ level: 'hint', text, suggestion: null });
export const named = ({ kind, name }: Pick<ChangedPart, 'kind' | 'name'>, titleOf: Sight['titleOf']) =>
  name === null ? 'Something' : `The ${kind} ${titleOf(kind, name) ?? name}`;
const clock = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
