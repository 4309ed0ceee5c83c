-- Works that have a site to themselves. `sites.busy` and `busy_event_id` repeat what is here, for whoever lists or locks
-- sites, and nobody but the trigger below writes them.
create type hold_kind as enum ('creating', 'updating', 'restoring', 'archiving', 'returning');

-- Without a reference to sites: a site that is being put aside has no row any more.
create table site_holds (
  site_id uuid primary key,
  event_id uuid not null,
  kind hold_kind not null,
  held_at timestamptz(3) not null default now()
);

-- The processes of the platform that run sites, and when each was last heard of.
create table platform_processes (
  id uuid primary key,
  machine text not null,
  pid integer not null,
  seen_at timestamptz(3) not null default now()
);

-- Which of them let go of what is held: none of their PHP runs, and none starts until the hold ends.
create table hold_answers (
  event_id uuid not null,
  site_id uuid not null,
  process_id uuid not null references platform_processes on delete cascade,
  primary key (event_id, site_id, process_id)
);
create index hold_answers_of_process on hold_answers (process_id);
create index hold_answers_of_site on hold_answers (site_id);

insert into site_holds (site_id, event_id, kind)
  select id, busy_event_id, case
    when busy <> 'restoring' then busy::hold_kind
    when exists (select from pit_restores r where r.event_id = busy_event_id) then 'restoring'
    else 'returning' end
  from sites where busy is not null;
insert into site_holds (site_id, event_id, kind)
  select d.id, d.deleted_event_id, 'archiving' from deleted_sites d join events e on e.id = d.deleted_event_id
  where e.finished_at is null and not d.is_purging
  on conflict do nothing;

drop trigger sites_route on sites;
alter table sites drop column busy, add column busy hold_kind;
update sites set busy = h.kind from site_holds h where h.site_id = sites.id;
alter table sites add check ((busy is null) = (busy_event_id is null));
create trigger sites_route after insert or delete or update of team_id, fqdn, is_sleeping, http_auth_enabled,
  http_auth_password_sealed, cdn_dev_mode_enabled, cdn_firewall_enabled, cdn_firewall_allowed_ips, core_version, php_version,
  debug_enabled on sites for each row execute function announce_site_change();

create function mark_held_site() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    update sites set busy = null, busy_event_id = null where id = old.site_id;
    delete from hold_answers where site_id = old.site_id;
  else
    update sites set busy = new.kind, busy_event_id = new.event_id where id = new.site_id;
  end if;
  perform pg_notify('site_changed', coalesce(new.site_id, old.site_id)::text);
  return null;
end $$;
-- A process of before this migration would leave a site busy that nobody holds.
create function refuse_busy() returns trigger language plpgsql as $$
begin
  raise exception 'sites.busy is written by site_holds alone';
end $$;
create trigger sites_busy_is_held before update of busy, busy_event_id on sites
  for each row when (pg_trigger_depth() = 0 and (old.busy, old.busy_event_id) is distinct from (new.busy, new.busy_event_id))
  execute function refuse_busy();
create trigger site_holds_marked after insert or update or delete on site_holds
  for each row execute function mark_held_site();
