-- Backups of every minute, restores from them, and previews of a site as it was.

-- When a site is to be backed up. Apart from the sites themselves: it is written every few seconds by whoever runs PHP, and
-- stays while a deleted site is kept.
create table backup_clocks (
  site_id uuid primary key,
  -- Whose space of the store the backups are in: that of the team which the site was made in, for as long as it lives.
  space uuid not null,
  -- When something last ran that could have changed the site.
  touched_at timestamptz(3) not null default now(),
  -- Null while nothing could have changed since the last cut.
  due_at timestamptz(3) default now(),
  cut_at timestamptz(3),
  failing_since timestamptz(3),
  failures integer not null default 0,
  failure text,
  failed_event_id uuid
);
create index backup_clocks_due on backup_clocks (due_at) where due_at is not null;
create index backup_clocks_touched on backup_clocks (touched_at);

insert into backup_clocks (site_id, space, due_at)
  select id, team_id, now() from sites union all select id, team_id, null from deleted_sites;

-- One row for each snapshot that the time machine keeps. A minute without changes has none: the one before stands for it.
create table backups (
  id uuid primary key default gen_random_uuid(),
  site_id uuid not null,
  commit_hash text not null,
  -- The instant that it shows.
  created_at timestamptz(3) not null,
  finished_at timestamptz(3) not null default now(),
  tables_saved text[] not null,
  tables_skipped text[] not null,
  files_added integer not null,
  files_changed integer not null,
  files_removed integer not null,
  stored_bytes bigint not null,
  is_consistent boolean not null,
  -- What could not be kept, as [{kind, name, reason}].
  not_saved jsonb not null default '[]',
  core_version text,
  php_version text,
  unique (site_id, commit_hash)
);
create index backups_of_site on backups (site_id, created_at desc, id desc);

create table pit_restores (
  id uuid primary key default gen_random_uuid(),
  site_id uuid not null,
  user_id uuid references users,
  event_id uuid not null,
  restore_point timestamptz(3) not null,
  -- The snapshot that the files come from, and the one that the tables come from.
  commit_hash text not null,
  backup_point timestamptz(3) not null,
  db_restore_hash text,
  restore_db boolean not null,
  restore_cms_content boolean not null,
  delete_extra_files boolean not null,
  is_dry_run boolean not null,
  passed_dry_run boolean,
  -- Restoring this point undoes it.
  undo_point timestamptz(3),
  num_files_added integer,
  num_files_deleted integer,
  num_files_restored integer,
  num_folders_added integer,
  num_tables_deleted integer,
  num_tables_failed integer,
  num_tables_restored integer,
  num_tables_skipped integer,
  changes jsonb,
  -- When all of it was in place; what may be left is to tell so.
  applied_at timestamptz(3),
  failed_reason text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index pit_restores_of_site on pit_restores (site_id, created_at desc, id desc);
create index pit_restores_unfinished on pit_restores (site_id) where finished_at is null;

-- A site as it was, to be looked at for half an hour under a name that nobody guesses. Its id is the one that the runtime
-- knows the copy by.
create table site_previews (
  id uuid primary key,
  site_id uuid not null,
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users on delete cascade,
  fqdn text not null unique,
  commit_hash text not null,
  restore_point timestamptz(3) not null,
  core_version text not null,
  php_version text not null,
  event_id uuid not null,
  ready_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '30 minutes'
);
create index site_previews_by_age on site_previews (expires_at);
create index site_previews_of_site on site_previews (site_id);
-- A preview ends at once with the right to it: the edge hears of it, and its files go within the minute.
create function end_previews_of_member() returns trigger language plpgsql as $$
begin
  update site_previews set expires_at = now() where team_id = old.team_id and user_id = old.user_id and expires_at > now();
  return null;
end $$;
create trigger team_members_previews after delete on team_members for each row execute function end_previews_of_member();
create function end_previews_of_team() returns trigger language plpgsql as $$
begin
  update site_previews set expires_at = now() where team_id = new.id and expires_at > now();
  return null;
end $$;
create trigger teams_previews after update of is_active, is_expired on teams
  for each row when (not new.is_active or new.is_expired) execute function end_previews_of_team();
create function end_previews_of_site() returns trigger language plpgsql as $$
begin
  update site_previews set expires_at = now() where site_id = old.id and expires_at > now();
  return null;
end $$;
create trigger sites_previews_deleted after delete on sites for each row execute function end_previews_of_site();
create trigger sites_previews_moved after update of team_id on sites
  for each row when (old.team_id <> new.team_id) execute function end_previews_of_site();

create trigger site_previews_route after insert or update or delete on site_previews
  for each row execute function announce_site_change();
