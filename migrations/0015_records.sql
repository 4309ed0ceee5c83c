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

-- Every table and file that a restore touched, in the order of the plan, tables first, a thousand to a row: a list can be
-- as long as a site is large, and is read by the page.
create table pit_restore_changes (
  restore_id uuid not null references pit_restores on delete cascade,
  number integer not null,
  changes jsonb not null,
  primary key (restore_id, number)
);
alter table pit_restores
  -- Null until it is known what the restore changes.
  add column changes_count integer,
  -- Lists of before were cut at 20,000 files and 500 tables, and the rest of those is not known.
  add column changes_are_cut boolean not null default false;

insert into pit_restore_changes (restore_id, number, changes)
select id, (place - 1) / 1000, jsonb_build_object(
    'tables', coalesce(jsonb_agg(entry order by place) filter (where kind = 1), '[]'),
    'files', coalesce(jsonb_agg(entry order by place) filter (where kind = 2), '[]'))
from (
  select id, kind, entry, row_number() over (partition by id order by kind, position) as place from (
    select id, 1 as kind, t.entry, t.position
      from pit_restores, jsonb_array_elements(changes -> 'tables') with ordinality as t (entry, position)
    union all
    select id, 2, f.entry, f.position
      from pit_restores, jsonb_array_elements(changes -> 'files') with ordinality as f (entry, position)
  ) entries
) placed group by id, (place - 1) / 1000;
update pit_restores set
  changes_count = jsonb_array_length(changes -> 'tables') + jsonb_array_length(changes -> 'files'),
  changes_are_cut = (changes ->> 'is_truncated')::boolean
  where changes is not null;
alter table pit_restores drop column changes;
