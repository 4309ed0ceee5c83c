-- The contract's records to the letter (docs/decisions/0014, "Records").

-- A site's events are read by the site and, since it may have been another team's, by the team. By name one finds which
-- sites had it; what is told of a name and of no site is little, and sorted when asked for.
drop index events_of_site;
create index events_of_site on events (site_live_id, team_id, created_at desc, id desc) where site_live_id is not null;
drop index events_of_team_by_fqdn;
create index events_of_team_by_fqdn on events (team_id, fqdn, site_live_id, created_at desc, id desc) where fqdn is not null;

-- Where a person's new sites go when they name no region. A region that is deleted is nobody's any more.
alter table users add column default_region_id integer references regions on delete set null;
create index users_by_default_region on users (default_region_id) where default_region_id is not null;
