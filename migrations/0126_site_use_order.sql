-- Which of a team's sites have the most visits and the most traffic, without sorting all of them. Both are counted every few seconds, and an index on
-- them would be written each time, with every other index of the site's row (0094). A class holds what differs by less than 7 of 100, so that it changes a
-- hundred times while the counter changes ten thousand times; within a class the sites are sorted when they are asked for.
create function use_class(amount bigint) returns smallint language sql immutable parallel safe
  return (ln((greatest(amount, 0) + 1)::float8) * 16)::smallint;

alter table sites
  add column visits_class smallint not null default 0,
  add column bandwidth_class smallint not null default 0;
update sites set visits_class = use_class(current_cycle_visits), bandwidth_class = use_class(current_cycle_bandwidth)
  where current_cycle_visits > 0 or current_cycle_bandwidth > 0;

-- By the database, so that a process of before writes them as well.
create function class_site_use() returns trigger language plpgsql as $$
begin
  new.visits_class := use_class(new.current_cycle_visits);
  new.bandwidth_class := use_class(new.current_cycle_bandwidth);
  return new;
end $$;
create trigger sites_use_classed before insert or update of current_cycle_visits, current_cycle_bandwidth on sites
  for each row execute function class_site_use();

create index sites_by_visits on sites (team_id, visits_class desc) where kind = 'live';
create index sites_by_bandwidth on sites (team_id, bandwidth_class desc) where kind = 'live';
