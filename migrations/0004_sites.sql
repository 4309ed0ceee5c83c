-- What a site is, the names that lead to it, and what is counted of it. No site could be made before this migration, so
-- the new columns find an empty table.

alter table sites
  -- Who created it: a member may delete or rename what they made themself.
  add column user_id uuid not null references users,
  add column region_id integer not null references regions,
  add column domain_option text not null check (domain_option in ('platform', 'custom')),
  add column is_testing boolean not null,
  add column is_ns_root boolean not null default false,
  add column is_free boolean not null default false,
  -- The work that has the site to itself right now, and the event that tells how far it is.
  add column busy text,
  add column busy_event_id uuid,
  add column is_sleeping boolean not null default false,
  add column http_auth_enabled boolean not null default false,
  add column http_auth_password_sealed bytea not null,
  add column code_server_enabled boolean not null default false,
  add column code_server_password_sealed bytea not null,
  add column dkim_public_key text,
  add column dkim_private_key_sealed bytea,
  add column db_prefix text not null default 'wp_',
  add column git_url text,
  add column git_last_sync_hash text,
  add column cdn_dev_mode_enabled boolean not null default false,
  add column cdn_firewall_enabled boolean not null default false,
  add column cdn_firewall_allowed_ips text[] not null default '{}',
  -- Null until the site is created.
  add column core_version text,
  add column php_version text,
  add column favicon_url text,
  add column tracked_tables text[] not null default '{}',
  add column untracked_tables text[] not null default '{}',
  add column storage_bytes bigint not null default 0,
  add column storage_measured_at timestamptz(3),
  -- The site ran since it was last measured.
  add column storage_is_stale boolean not null default false,
  add column current_cycle_visits bigint not null default 0,
  add column current_cycle_bandwidth bigint not null default 0,
  add column current_cycle_cached_bandwidth bigint not null default 0,
  add column current_cycle_cache_hits bigint not null default 0,
  add column current_cycle_cache_misses bigint not null default 0,
  add column cache_objects bigint not null default 0,
  add column cache_bytes bigint not null default 0,
  add column last_visited_at timestamptz(3),
  add column next_cron_at timestamptz(3),
  -- How many mails went out in the hour that began then, and whether some had to stay behind.
  add column mail_hour timestamptz(3),
  add column mails_sent integer not null default 0,
  add column mail_is_waiting boolean not null default false,
  add check ((busy is null) = (busy_event_id is null));

-- None of these holds a column that a usage report writes, so that counting moves no index entry.
create index sites_awake on sites (team_id) where not is_sleeping;
create index sites_cron_due on sites (next_cron_at) where next_cron_at is not null;
create index sites_to_measure on sites (storage_measured_at) where storage_is_stale;
create index sites_with_mail on sites (mail_hour) where mail_is_waiting;

-- Every host name that leads to a site, or is about to: a rename holds its new name while it runs.
create table site_names (
  fqdn text primary key,
  site_id uuid not null references sites on delete cascade,
  created_at timestamptz(3) not null default now()
);
create index site_names_of_site on site_names (site_id);

-- Who held a name last: for thirty days another team must prove that it owns the domain.
create table released_names (
  fqdn text primary key,
  team_id uuid not null references teams on delete cascade,
  released_at timestamptz(3) not null default now()
);
create index released_names_by_age on released_names (released_at);

create table external_paths (
  id uuid primary key default gen_random_uuid(),
  site_id uuid not null references sites on delete cascade,
  path text not null,
  external_name text not null,
  created_at timestamptz(3) not null default now(),
  unique (site_id, path)
);
create index external_paths_newest on external_paths (site_id, created_at desc, id desc);

-- Without a reference to sites: what was counted outlives a deletion that is taken back.
create table site_usage (
  site_id uuid not null,
  hour timestamptz(3) not null,
  visits bigint not null default 0,
  requests bigint not null default 0,
  bytes bigint not null default 0,
  cached_bytes bigint not null default 0,
  cache_hits bigint not null default 0,
  cache_misses bigint not null default 0,
  primary key (site_id, hour)
);

-- Sites that were deleted, kept for the operator. `site` is the row as it was and `external_paths` its paths; a migration
-- that gives sites a column without a default gives it to these as well.
create table deleted_sites (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  fqdn text not null,
  site jsonb not null,
  external_paths jsonb not null,
  storage_bytes bigint not null,
  deleted_by uuid references users,
  deleted_event_id uuid not null,
  deleted_at timestamptz(3) not null default now(),
  purge_after timestamptz(3) not null default now() + interval '7 days',
  -- From now on there is no way back.
  is_purging boolean not null default false
);
create index deleted_sites_newest on deleted_sites (deleted_at desc, id desc);
create index deleted_sites_of_team on deleted_sites (team_id);
create index deleted_sites_to_purge on deleted_sites (purge_after);

-- What a runtime keeps of sites that nobody knows. It is removed only after a day, since a database that was restored
-- from a backup must not cost the sites that it does not know yet.
create table orphaned_sites (
  site_id uuid primary key,
  seen_at timestamptz(3) not null default now()
);

-- The edge keeps its routes in memory and hears here which of them to read again. Counters are not among the columns.
create function announce_site_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('site_changed', coalesce(new.id, old.id)::text);
  return null;
end $$;
create trigger sites_route after insert or delete or update of team_id, fqdn, busy, is_sleeping, http_auth_enabled,
  http_auth_password_sealed, cdn_dev_mode_enabled, cdn_firewall_enabled, cdn_firewall_allowed_ips, core_version, php_version
  on sites for each row execute function announce_site_change();

create function announce_change_of_named_site() returns trigger language plpgsql as $$
begin
  perform pg_notify('site_changed', coalesce(new.site_id, old.site_id)::text);
  return null;
end $$;
create trigger site_names_route after insert or update or delete on site_names
  for each row execute function announce_change_of_named_site();
create trigger external_paths_route after insert or update or delete on external_paths
  for each row execute function announce_change_of_named_site();

create function announce_change_of_team_sites() returns trigger language plpgsql as $$
begin
  perform pg_notify('site_changed', id::text) from sites where team_id = new.id;
  return null;
end $$;
create trigger teams_route after update of is_active, is_expired on teams
  for each row when (old.is_active <> new.is_active or old.is_expired <> new.is_expired)
  execute function announce_change_of_team_sites();
