import { roleOnSite } from '#core/auth/caller.ts';
import { titlesOf } from '#features/site-software/site-software.ts';
import { findingsOf, named, type Sight } from './diagnosis.findings.ts';

export type { Diagnosis } from './diagnosis.schema.ts';

import type { Change, Diagnosis } from './diagnosis.schema.ts';
import { type FileChange, lookAtChanges, lookAtTimeline } from './look.changes.ts';
import {
  lookAtCertificate,
  lookAtDns,
  lookAtErrors,
  lookAtFrontPage,
  lookAtTraffic,
  read,
  type Subject,
} from './look.site.ts';
import { look, type Seen } from './look.ts';

/** Looks at a site from all sides at once, each for a bounded time, and says what it comes to. Nothing is changed, but a site that slept is awake then. */
const QUICK_MS = 10_000;
const PAGE_MS = 20_000;

const running = new Map<string, Promise<Diagnosis>>();

/** Whoever asks again meanwhile gets the same. Nobody gets another's: what is seen depends on who looks. */
export function diagnose(subject: Subject): Promise<Diagnosis> {
  const { site, caller } = subject;
  const key = `${site.id} ${caller.userId} ${caller.credential.scopes.length > 0} ${[...caller.roles].join()} ${roleOnSite(caller, site)}`;
  const known = running.get(key);
  if (known) return known;
  const looking = lookAtAll(subject).finally(() => running.delete(key));
  running.set(key, looking);
  return looking;
}

async function lookAtAll(subject: Subject): Promise<Diagnosis> {
  const { site } = subject;
  const { fqdn } = site;
  const by =
    <T>(see: (subject: Subject) => Promise<T>) =>
    (signal: AbortSignal) =>
      see({ ...subject, signal });
  // The page first: what goes wrong with it is in the log by then.
  const page = await look('front_page', PAGE_MS, by(lookAtFrontPage));
  const shownSite = read<Shown>({ ...subject, signal: AbortSignal.timeout(QUICK_MS) }, 'getSite', { fqdn });
  const [state, errors, changes, timeline, dns, certificate, plan, traffic] = await Promise.all([
    look('state', QUICK_MS, () => lookAtState(subject, shownSite)),
    look('errors', QUICK_MS, by(lookAtErrors)),
    look('changes', PAGE_MS, by(lookAtChanges)),
    look('timeline', QUICK_MS, by(lookAtTimeline)),
    look('dns', QUICK_MS, by(lookAtDns)),
    look('certificate', QUICK_MS, by(lookAtCertificate)),
    look('plan', QUICK_MS, () => lookAtPlan(shownSite)),
    look('traffic', QUICK_MS, by(lookAtTraffic)),
  ]);
  const woke = site.is_sleeping && page.found !== undefined;
  const titleOf = await titlesOf(subject.services.db, site.id);
  const findings = findingsOf({
    fqdn,
    busy: state.found?.busy ?? null,
    isActive: state.found?.active ?? true,
    frontPage: page.found,
    errors: errors.found,
    changes: changes.found,
    titleOf,
    dns: dns.found,
    certificate: certificate.found,
    certificateText: certificate.text,
    plan: plan.found,
    traffic: traffic.found,
    woke,
  });
  return {
    fqdn,
    looked_at: new Date(),
    woke,
    findings,
    front_page: page.found ?? null,
    errors: errors.found ?? [],
    changes: listOf(changes.found?.files ?? [], timeline.found ?? [], titleOf),
    looks: [state, page, errors, dns, certificate, plan, traffic, timeline, changes].map(shown),
  };
}

const shown = ({ name, text, found }: Seen<unknown>) => ({ name, ok: found !== undefined, text });

const LISTED_CHANGES = 20;

function listOf(files: readonly FileChange[], events: readonly Change[], titleOf: Sight['titleOf']): Change[] {
  const changed = files.flatMap(({ at, parts }) =>
    parts.map((part): Change => {
      const { kind, name, files: count, isNew } = part;
      const what = name === null ? 'Other files' : named(part, titleOf);
      return { at, kind, name, text: `${what} ${isNew ? 'came' : 'changed'} (${count} files)` };
    }),
  );
  return [...changed, ...events].sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, LISTED_CHANGES);
}

interface Shown {
  active: boolean;
  busy: string | null;
  is_sleeping: boolean;
  http_auth_enabled: boolean;
  team: { plan_type_name: string; storage_usage_percentage: number; visits_usage_percentage: number };
}

async function lookAtState(subject: Subject, site: Promise<Shown>): Promise<{ text: string; found: Shown }> {
  const found = await site;
  const said = [
    found.active ? 'The site is active' : 'The site is not active',
    found.busy !== null && `busy with ${found.busy}`,
    subject.site.is_sleeping && 'asleep until now',
    found.http_auth_enabled && 'asks visitors for a password',
  ];
  return { text: `${said.filter(Boolean).join(', ')}.`, found };
}

async function lookAtPlan(site: Promise<Shown>): Promise<{ text: string; found: { ok: boolean; text: string } }> {
  const { team } = await site;
  const { plan_type_name, storage_usage_percentage: storage, visits_usage_percentage: visits } = team;
  const text = `The plan ${plan_type_name}: ${storage} % of the storage and ${visits} % of the visits are used.`;
  const isFull = storage >= 100;
  return { text, found: { ok: !isFull, text: isFull ? `${text} Uploads are refused until there is room.` : text } };
}
