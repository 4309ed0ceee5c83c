-- What the owner of a site was told of: its last trouble of each kind, so that each is told once. `since` tells one trouble from the next.
create table site_troubles (
  site_id uuid not null references sites on delete cascade,
  kind text not null check (kind in ('errors', 'backup', 'certificate')),
  -- The domain that it is about, where a site has several.
  name text not null default '',
  since timestamptz(3) not null,
  told_at timestamptz(3) not null default now(),
  primary key (site_id, kind, name)
);

-- The few that fail for their visitors.
create index sites_failing on sites (failing_since) where failing_since is not null;

-- Updates that WordPress did not make in the nights before, by what they were of: which version, and how often it was tried.
alter table site_software add column refused jsonb not null default '{}';

-- How many sites of a team sleep or are busy, and which labels they have, without reading the sites.
create index sites_by_state on sites (team_id, is_sleeping, busy) where kind = 'live';
create index sites_labelled on sites (team_id) include (labels) where kind = 'live' and labels <> '{}';
-- Visits are counted every few seconds: with an index on them each count was written to every index of the site's row.
drop index sites_by_visits;
