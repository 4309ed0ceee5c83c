-- What a site calls itself, as it tells with its icon, and what its team has written on it. A process of before writes neither.
alter table sites
  add column title text not null default '' check (length(title) <= 300),
  add column labels text[] not null default '{}' check (cardinality(labels) <= 20);

-- One for each order that the list has; the newest have theirs already.
create index sites_by_name on sites (team_id, fqdn, id) where kind = 'live';
create index sites_by_visits on sites (team_id, current_cycle_visits desc, id desc) where kind = 'live';
create index sites_by_storage on sites (team_id, storage_bytes desc, id desc) where kind = 'live';
create index sites_with_labels on sites using gin (labels) where labels <> '{}';

do $$
begin
  create index sites_by_part_of_title on sites using gin (lower(title) gin_trgm_ops);
exception when insufficient_privilege or undefined_file or undefined_object or feature_not_supported then
  raise notice 'no pg_trgm, so that searches for titles have no index: %', sqlerrm;
end $$;
