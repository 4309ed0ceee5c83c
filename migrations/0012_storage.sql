-- What happens when a team's storage is used up: its owner is told, and its sites take no uploads.

-- Kept by a job each minute and by a change of the plan; the limit itself is the plan's.
alter table teams add column storage_is_used_up boolean not null default false;

drop trigger teams_route on teams;
create trigger teams_route after update of is_active, is_expired, storage_is_used_up, plan_type_name on teams
  for each row when (old.is_active <> new.is_active or old.is_expired <> new.is_expired
    or old.storage_is_used_up <> new.storage_is_used_up
    -- Whoever uploads is told which plan is too small.
    or (new.storage_is_used_up and old.plan_type_name <> new.plan_type_name))
  execute function announce_change_of_team_sites();

alter table limit_notices
  drop constraint limit_notices_resource_check,
  add constraint limit_notices_resource_check check (resource in ('visits', 'bandwidth', 'storage'));
