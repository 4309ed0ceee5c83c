import { type Static, type TSchema, Type } from 'typebox';
import { Moment, Nullable, OneOf, Uuid } from '#core/http/schema.ts';
import type { Route } from '#edge/route.ts';
import type { Hold } from '#features/hold/hold.ts';
import { HostReading } from '#features/overview/overview.schema.ts';
import type { LostSite } from '#features/pit-restore/restore-lost.ts';
import type { TeamStorage } from '#features/site-upkeep/site-upkeep.sql.ts';
import type { SignedRequest } from '#timemachine/stores/s3-client.ts';

/**
 * All that the pod of a site can ask of the platform or tell it, with what each has to look like: whoever broke out of the site's PHP can
 * send anything. Whose pod it is stands in its certificate and nowhere here. Times are text, since this is JSON.
 */
const Ids = Type.Array(Uuid, { maxItems: 1000 });
const Short = Type.String({ maxLength: 300 });
const Count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const Size = Type.Number({ minimum: 0, maximum: 1e15 });
/** What a site calls itself stands in lines of people's lists. */
const Line = Type.String({ maxLength: 500, pattern: '^[^\\p{Cc}\\u2028-\\u202e\\u2066-\\u2069]*$' });
/** A name in the store: what stands between its slashes is neither empty nor a way up. */
const Key = Type.String({ maxLength: 500, pattern: '^(?!.*(?:^|/)\\.{0,2}(?:/|$))[A-Za-z0-9._/-]+$' });
const HASH = '^[0-9a-f]{64}$';

const OfSite = Type.Object({ siteId: Uuid });
const OfSites = Type.Object({ siteIds: Ids });
const OfProcess = Type.Object({ id: Uuid });

const Status = Type.Object({
  siteId: Uuid,
  faviconUrl: Nullable(Type.String({ maxLength: 2000 })),
  title: Nullable(Line),
  nextCronAt: Nullable(Moment),
});

const Usage = Type.Object({
  siteId: Uuid,
  visits: Count,
  requests: Count,
  bytes: Size,
  cachedBytes: Size,
  cacheHits: Count,
  cacheMisses: Count,
  cacheObjects: Count,
  cacheBytes: Size,
  lastVisitAt: Nullable(Moment),
  errors: Count,
  durations: Type.Array(Count, { maxItems: 64 }),
  pages: Count,
  pagesFailedLast: Count,
});

export const POD_CALLS = {
  hello: Type.Object({}),
  announce: Type.Object({
    id: Uuid,
    machine: Short,
    pid: Count,
    // Never a path: what is behind one of those is asked without a certificate.
    address: Nullable(Type.String({ pattern: '^(?:[0-9.]+|\\[[0-9a-f:]+\\]):\\d{1,5}$' })),
    idle_since: Nullable(Moment),
  }),
  succeed: OfProcess,
  leave: OfProcess,
  holds: Type.Object({ siteIds: Type.Optional(Ids) }),
  letGo: Type.Object({ siteId: Uuid, eventId: Uuid, processId: Uuid }),
  routes: Type.Object({ siteId: Type.Optional(Uuid) }),
  touch: OfSites,
  touchLatest: Type.Object({ seconds: Count }),
  storage: OfSites,
  measured: Type.Object({ siteId: Uuid, bytes: Size }),
  editorIsOpen: OfSite,
  statuses: Type.Object({ statuses: Type.Array(Status, { maxItems: 1000 }) }),
  purged: OfSite,
  mail: OfSite,
  errors: Type.Object({ siteId: Uuid, lines: Type.String({ maxLength: 500_000 }) }),
  usage: Type.Object({ usage: Type.Array(Usage, { maxItems: 1000 }) }),
  woke: OfSite,
  reading: Type.Object({ processId: Uuid, host: Type.Omit(HostReading, ['name', 'read_at']) }),
  lostSites: Type.Object({ present: Ids }),
  restoreLost: Type.Object({
    siteId: Uuid,
    processId: Uuid,
    kept: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 100_000 }),
  }),
  signBackup: Type.Object({
    method: OneOf(['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const),
    key: Type.Optional(Key),
    query: Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 2000 })),
    hash: Type.String({ pattern: HASH }),
    grant: Type.Optional(Short),
  }),
  backupKey: Type.Object({ name: Key }),
} satisfies Record<string, TSchema>;

export type PodCall = keyof typeof POD_CALLS;
export type PodInput<Name extends PodCall> = Static<(typeof POD_CALLS)[Name]>;

/** What they answer; the others nothing. */
interface Answers {
  hello: Welcome;
  holds: Hold[];
  routes: Route[];
  storage: TeamStorage[];
  editorIsOpen: boolean;
  lostSites: LostSite[];
  signBackup: SignedRequest;
  /** As Base64. */
  backupKey: string;
}
export type PodAnswer<Name extends PodCall> = Name extends keyof Answers ? Answers[Name] : undefined;

/** What a pod has to know before it begins. */
export interface Welcome {
  /** Tells whose its place in the store of backups is. */
  backupOwner: string;
  /** What the passwords of databases are made from, where its runtime has such. */
  databaseSecret: string;
}

/** One line of what a pod is told; an empty one only says that somebody is there. */
export type PodNews = { changed: string } | { purged: string } | { missed: true };
export const NEWS = 'news';
export const NEWS_BEAT_MS = 10_000;
