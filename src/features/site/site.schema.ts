import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Email, Fqdn, Name, Nullable, OneOf, OpenObject, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { CertificateState } from '#features/certificate/certificate.schema.ts';
import { ExternalPath } from '#features/external-path/external-path.schema.ts';
import { Team } from '#features/team/team.schema.ts';
import { USAGE_STEPS } from '#features/usage/usage.schema.ts';
import { User } from '#features/user/user.ts';

export const StageSite = Type.Object(
  {
    id: Uuid,
    fqdn: Type.String(),
    git_branch: Nullable(Type.String()),
    busy: Nullable(Type.String({ description: 'Work that has the staging site to itself right now' })),
    is_sleeping: Type.Boolean(),
    http_auth_enabled: Type.Boolean({ description: "The user name and the password are the live site's" }),
    debug_enabled: Type.Boolean(),
    cdn_dev_mode_enabled: Type.Boolean(),
    cdn_firewall_enabled: Type.Boolean(),
    cdn_firewall_allowed_ips: Type.Array(Type.String()),
    created_at: Timestamp,
  },
  { title: 'StageSite' },
);
export type StageSite = Static<typeof StageSite>;

/** The orders and the states that a list of sites can be asked for. */
export const SITE_SORTS = ['newest', 'name', 'visits', 'storage'] as const;
export type SiteSort = (typeof SITE_SORTS)[number];
export const SITE_STATES = ['awake', 'asleep', 'busy', 'outdated', 'insecure'] as const;
export type SiteState = (typeof SITE_STATES)[number];

export const Reachability = Type.Object(
  {
    state: OneOf(['live', 'protected', 'dns_pending', 'certificate_pending', 'asleep', 'failing', 'busy', 'stopped'], {
      description:
        '`live`: every visitor gets in. `protected`: its firewall or its sign-in keeps visitors out. `dns_pending`: the records of its name do not lead here yet. `certificate_pending`: it has no certificate yet. `asleep`: the next visit wakes it. `failing`: the last pages that visitors asked for ended with an error. `busy`: it is being created. `stopped`: its team is suspended or unpaid',
    }),
    reason: say(Nullable(Type.String()), 'What is in the way, as a sentence; null where nothing is'),
    since: say(Nullable(Timestamp), 'Since when, where that is known'),
    certificate: CertificateState,
  },
  { title: 'Reachability' },
);
export type Reachability = Static<typeof Reachability>;

export const Site = Type.Object(
  {
    id: Uuid,
    fqdn: say(Type.String(), 'Primary domain; paths accept every name of the site and respond with this one'),
    team: Team,
    team_id: Uuid,
    tenant_id: Type.String(),
    created_by: User,
    user_id: Uuid,
    region_id: Type.Integer(),
    active: Type.Boolean({ description: 'It is created, and its team is neither suspended nor expired' }),
    busy: Nullable(Type.String({ description: 'The work that has the site to itself right now' })),
    reachability: say(Reachability, 'What a visitor of its primary name meets right now'),
    is_sleeping: Type.Boolean(),
    is_free: Type.Boolean(),
    is_testing: Type.Boolean({ description: "Its name is under the platform's site domain" }),
    is_ns_root: Type.Boolean(),
    domain_option: OneOf(['platform', 'custom']),
    title: Type.String({ description: 'What the site calls itself; empty while that is not known' }),
    labels: Type.Array(Type.String()),
    favicon_url: Type.String(),
    http_auth_enabled: Type.Boolean(),
    http_auth_password: Type.String({ description: 'Empty for whoever may only read; the user name is admin' }),
    debug_enabled: Type.Boolean({
      description: "WordPress' debug mode: more ends up in the site's log, and nothing of it in a page",
    }),
    code_server_enabled: Type.Boolean(),
    code_server_password: Type.String({
      description: 'Empty for whoever may only read. How the editor is doing is in properties.code_server',
    }),
    dkim_key: Nullable(Type.String({ description: 'The TXT record to publish; null for whoever may only read' })),
    db_prefix: Type.String({ description: "What the names of the site's tables begin with: wp_ for every site" }),
    git_url: Nullable(Type.String()),
    git_last_sync_hash: Nullable(Type.String()),
    current_cycle_visits: Type.Integer(),
    current_cycle_bandwidth: Type.Integer({ description: 'Bytes' }),
    current_storage: Type.Integer({ description: 'Bytes' }),
    visits_by_day: Type.Array(Type.Integer(), { description: 'Of the last 14 days of UTC, oldest first' }),
    min_restore_point: Timestamp,
    max_restore_point: Timestamp,
    external_paths: Type.Array(ExternalPath),
    properties: say(
      OpenObject,
      'Versions, CDN, editor and backups of the site; `new_fqdn` is the coming name while a rename runs, else null',
    ),
    site_stage: Nullable(StageSite),
    updates_waiting: Type.Integer({
      description: 'Plugins, themes and WordPress itself, when the site was last asked; getSoftware has them',
    }),
    security_update: say(
      Nullable(Type.String()),
      "The newer WordPress of the site's own branch: such a release mends what is unsafe and changes nothing else",
    ),
    tracked_tables: Type.Array(Type.String()),
    untracked_tables: Type.Array(Type.String()),
    created_at: Timestamp,
  },
  { title: 'Site' },
);
export type Site = Static<typeof Site>;

/** What WordPress itself would leave of a user name, so that nobody signs in with another one than they chose. */
const Username = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '^[A-Za-z0-9_.@-]+( [A-Za-z0-9_.@-]+)*$',
  description: 'Letters, digits, single blanks and _ . - @',
});

/** Where a new site goes, whatever it is made from. */
const place = {
  fqdn: Fqdn,
  team_id: Uuid,
  region_name: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "Your account's default region when left out, else the platform's first",
    }),
  ),
  is_free: Type.Optional(Type.Boolean({ default: false, description: "Use the team's one free slot" })),
};
export const SitePlace = Type.Object(place);
export type SitePlace = Static<typeof SitePlace>;

export const NewSite = Type.Object({
  ...place,
  template_name: Type.Optional(
    say(Type.String({ maxLength: 200 }), 'The template that it is made from; an empty WordPress when left out'),
  ),
  git_url: Type.Optional(say(Type.String({ maxLength: 2083 }), 'A repository that its content then follows')),
  cms_blog_name: say(Name, 'The title of the site'),
  cms_username: Username,
  // As long as WordPress' own column.
  cms_email: say(Type.String({ ...Email, maxLength: 100 }), 'The address of its administrator'),
  cms_first_name: say(Name, 'Of the administrator'),
  cms_last_name: say(Name, 'Of the administrator'),
  cms_password: Type.String({ minLength: 1, description: 'Whatever WordPress takes. Used once, kept nowhere' }),
});
export type NewSite = Static<typeof NewSite>;

/** What takes effect at the edge at once, and what a staging site has for itself. */
const settings = {
  http_auth_enabled: Type.Optional(say(Type.Boolean(), 'Ask every visitor for a name and a password')),
  debug_enabled: Type.Optional(Type.Boolean({ description: "WordPress' debug mode; visitors never see errors" })),
  cdn_dev_mode_enabled: Type.Optional(say(Type.Boolean(), 'Keep nothing in the cache, for whoever is building')),
  cdn_firewall_enabled: Type.Optional(say(Type.Boolean(), 'Let in only the addresses of the list')),
  cdn_firewall_allowed_ips: Type.Optional(
    Type.Array(Type.String({ maxLength: 50 }), { maxItems: 500, description: 'IPv4, IPv6 and CIDR' }),
  ),
};
export const StageChange = Type.Object(settings);
export type StageChange = Static<typeof StageChange>;

export const SiteChange = Type.Object({
  new_fqdn: Type.Optional(
    say(
      Fqdn,
      'New primary domain. The rename continues after the response, which still has the old `fqdn`; `properties.new_fqdn` holds the new one until it ends. Send `Prefer: wait=60`, follow the event in `Operation-Id`, or get the site by either name until `busy` is null',
    ),
  ),
  team_id: Type.Optional(Uuid),
  is_free: Type.Optional(say(Type.Boolean(), 'Whether it takes no place of the plan')),
  ...settings,
  code_server_enabled: Type.Optional(Type.Boolean({ description: 'A code editor at a host of its own' })),
  code_server_password: Type.Optional(
    Type.String({ minLength: 8, maxLength: 200, description: 'Opens the code editor for whoever has no account' }),
  ),
  git_url: Type.Optional(Nullable(Type.String({ maxLength: 2083, description: 'Null unlinks the repository' }))),
  core_version: Type.Optional(Type.String({ maxLength: 40, description: 'Another version of WordPress that is kept' })),
  php_version: Type.Optional(
    Type.String({ maxLength: 40, description: 'Another PHP of its machine; where a page breaks it is rolled back' }),
  ),
});
export type SiteChange = Static<typeof SiteChange>;

const UsagePoint = Type.Object({
  at: Timestamp,
  visits: Type.Integer(),
  requests: Type.Integer(),
  bytes: Type.Integer(),
  cached_bytes: Type.Integer(),
  cache_hits: Type.Integer(),
  cache_misses: Type.Integer(),
  errors: Type.Integer({ description: 'Answers with a status of 5xx' }),
  p95_ms: Nullable(
    Type.Integer({
      description: 'What 95 of 100 pages took less than, in milliseconds, as near as counts tell; null without pages',
    }),
  ),
});
export type UsagePoint = Static<typeof UsagePoint>;

export const SiteUsage = Type.Object(
  {
    step: OneOf(USAGE_STEPS),
    from: Timestamp,
    to: Timestamp,
    points: Type.Array(UsagePoint),
    p95_ms: Nullable(Type.Integer({ description: 'Of all the time together' })),
  },
  { title: 'SiteUsage' },
);
export type SiteUsage = Static<typeof SiteUsage>;

export const SiteLogin = Type.Object(
  { url: Type.String({ description: 'Opens wp-admin, once' }), expires_at: Timestamp },
  { title: 'SiteLogin' },
);
export type SiteLogin = Static<typeof SiteLogin>;

export const SiteMove = Type.Object({
  database: Type.Optional(
    OneOf(['sqlite', 'mariadb'], {
      description: 'What the site keeps its rows in: a file of its own, or MariaDB, where its host has that',
    }),
  ),
  region_name: Type.Optional(
    say(Name, 'The region that the site goes to, where both are clusters; its backups go with it'),
  ),
});
export type SiteMove = Static<typeof SiteMove>;

export const moveFailed = failure('site.move_failed', 502, 'The site could not be moved; it is as it was.');
export const moveStaged = failure(
  'site.move_staged',
  409,
  'Commit or discard its staging site first: the site comes to another driver, and both have to be on the same one.',
);
export const createFailed = failure(
  'site.create_failed',
  502,
  'The site could not be created, and nothing is left of it. Try again.',
);
export const importRefused = failure('site.import_refused', 422, 'No site can be made of this archive.');
export const importRunning = failure(
  'site.import_running',
  409,
  'A site of this team is being imported; import the next one when that is done.',
);
export const updateFailed = failure('site.update_failed', 502, 'The change could not be made.');
export const sleepFailed = failure('site.sleep_failed', 502, 'The site could not be put to sleep.');
export const planSites = failure('plan.sites', 402, 'The plan has no slot left for another site.');
export const planStorage = failure('plan.storage', 402, 'The plan has no storage left.');
