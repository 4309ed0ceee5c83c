-- What waits for an update, so that it can be counted and listed by team without reading all of its sites. It is site_software that is written, and the row of
-- the site that is read.
alter table site_software add column security_update text;
alter table sites add column updates_waiting integer not null default 0, add column security_update text;

-- By the database, so that a process of before writes it as well.
create function tell_site_of_updates() returns trigger language plpgsql as $$
begin
  update sites set updates_waiting = new.updates_waiting, security_update = new.security_update
  where id = new.site_id and (updates_waiting, security_update) is distinct from (new.updates_waiting, new.security_update);
  return null;
end $$;
create trigger site_software_told after insert or update of updates_waiting, security_update on site_software
  for each row execute function tell_site_of_updates();

update sites set updates_waiting = w.updates_waiting from site_software w where w.site_id = sites.id and w.updates_waiting > 0;
create index sites_outdated on sites (team_id, security_update, fqdn) where kind = 'live' and updates_waiting > 0;

-- A deleted site comes back as the row that it was: with every column that has been added since.
update deleted_sites set site = '{"title": "", "labels": [], "updates_waiting": 0}'::jsonb || site;
