-- Live sites, stages and previews are instances: rows of one table, told apart by their kind.
create type instance_kind as enum ('live', 'stage', 'preview');

alter table sites
  add column kind instance_kind not null default 'live',
  -- The live site that a copy belongs to. A copy goes with it.
  add column of_site_id uuid references sites on delete cascade,
  -- When it ends by itself; null for what stays until somebody deletes it.
  add column expires_at timestamptz(3),
  -- Where it lives, and what runs it there.
  add column host text not null default 'local',
  add column driver text not null default 'php-wasm',
  add constraint sites_kind check (case kind
    when 'live' then of_site_id is null and expires_at is null
    when 'stage' then of_site_id is not null and expires_at is null
    when 'preview' then of_site_id is not null and expires_at is not null
  end);
create index sites_copies on sites (of_site_id) where of_site_id is not null;
create index sites_expiring on sites (expires_at) where expires_at is not null;
-- Who brings a deleted site back gets every column from what was kept of it.
update deleted_sites set site = site || '{"kind": "live", "host": "local", "driver": "php-wasm"}';

-- Files that are to be removed: those of copies that ended, at once, and those of sites that no table knows, after a day, since a
-- database that was restored from a backup must not cost the sites that it does not know yet.
alter table orphaned_sites rename to sites_to_remove;
alter table sites_to_remove rename column seen_at to due_at;
alter table sites_to_remove alter column due_at drop default;
update sites_to_remove set due_at = due_at + interval '24 hours';
create index sites_to_remove_by_time on sites_to_remove (due_at);

-- Whatever takes the row of a copy away (its time, its site, its team), its files are removed within the minute.
create function remove_ended_copy() returns trigger language plpgsql as $$
begin
  insert into sites_to_remove (site_id, due_at) values (old.id, now())
    on conflict (site_id) do update set due_at = excluded.due_at;
  delete from site_holds where site_id = old.id;
  return null;
end $$;
create trigger sites_copy_ended after delete on sites
  for each row when (old.kind <> 'live') execute function remove_ended_copy();

-- Previews lived for half an hour in a table of their own. Those that are open end here; their table keeps what only previews have.
insert into sites_to_remove (site_id, due_at) select id, now() from site_previews
  on conflict (site_id) do update set due_at = excluded.due_at;
drop table site_previews;
create table site_previews (
  site_id uuid primary key references sites on delete cascade,
  -- The snapshot that it shows, and the instant of that.
  commit_hash text not null,
  restore_point timestamptz(3) not null,
  ready_at timestamptz(3)
);

-- A preview ends at once with the right to it: the edge hears of it, and its files go within the minute.
create or replace function end_previews_of_member() returns trigger language plpgsql as $$
begin
  update sites set expires_at = now()
  where kind = 'preview' and team_id = old.team_id and user_id = old.user_id and expires_at > now();
  return null;
end $$;
create or replace function end_previews_of_team() returns trigger language plpgsql as $$
begin
  update sites set expires_at = now() where kind = 'preview' and team_id = new.id and expires_at > now();
  return null;
end $$;
create or replace function end_previews_of_blocked() returns trigger language plpgsql as $$
begin
  update sites set expires_at = now() where kind = 'preview' and user_id = new.id and expires_at > now();
  return null;
end $$;
-- Deleting a site takes its rows along; moving it to another team ends them.
drop trigger sites_previews_deleted on sites;
create or replace function end_previews_of_site() returns trigger language plpgsql as $$
begin
  update sites set expires_at = now() where kind = 'preview' and of_site_id = old.id and expires_at > now();
  return null;
end $$;

drop trigger sites_route on sites;
create trigger sites_route after insert or delete or update of team_id, fqdn, is_sleeping, http_auth_enabled,
  http_auth_password_sealed, cdn_dev_mode_enabled, cdn_firewall_enabled, cdn_firewall_allowed_ips, core_version, php_version,
  debug_enabled, expires_at on sites for each row execute function announce_site_change();

-- Two jobs by the clock became one (instance.clean_up), and one has another name.
do $$
begin
  if to_regclass('jobs.schedule') is null then return; end if;
  delete from jobs.schedule where key in ('preview.end', 'site.sweep');
  delete from jobs.job where state in ('created', 'retry') and data->>'kind' in ('preview.end', 'site.sweep');
end $$;
