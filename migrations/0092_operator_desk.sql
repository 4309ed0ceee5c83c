-- What each process of the platform saw of its host and of its edge, in slots of five minutes, for the charts of two days. `host` and `edge` are null
-- where a process has none.
create table platform_readings (
  slot timestamptz(3) not null,
  process_id text not null,
  read_at timestamptz(3) not null default now(),
  host jsonb,
  edge jsonb,
  primary key (slot, process_id)
);

create index teams_paying on teams (plan_type_name) where sub_id is not null;
create index certificates_by_end on certificates (not_after) where not_after is not null;
create index sites_all_newest on sites (created_at desc, id desc) where kind = 'live';
create index users_operators on users (created_at desc, id desc) where is_superuser;

-- Finding people and teams by a part of what they are called; without the extension a search reads them one by one, as with sites.
do $$
begin
  create extension if not exists pg_trgm;
  create index users_by_part on users using gin (lower(email || ' ' || first_name || ' ' || last_name) gin_trgm_ops);
  create index teams_by_part on teams using gin (lower(name || ' ' || tenant_id) gin_trgm_ops);
exception when insufficient_privilege or undefined_file or undefined_object or feature_not_supported then
  raise notice 'no pg_trgm, so that searches for people and teams have no index: %', sqlerrm;
end $$;
