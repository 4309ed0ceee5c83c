-- A site has any number of names. Which one is its main one says sites.fqdn; each other one redirects there, or is served as it is. A process of
-- before writes none of these columns and serves every name as it is.
alter table site_names
  add column mode text not null default 'redirect' check (mode in ('redirect', 'serve')),
  -- Since when the records of the name lead here without a break; null: they do not, or nobody has looked yet.
  add column verified_at timestamptz(3),
  add column looked_at timestamptz(3),
  add column next_look_at timestamptz(3) not null default now();
create index site_names_to_look_at on site_names (next_look_at);

-- The further names of a deleted site, for whoever brings it back.
alter table deleted_sites add column names jsonb not null default '[]';
