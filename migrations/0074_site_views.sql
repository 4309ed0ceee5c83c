-- Ways to look at the list of a team's sites that a person has kept.
create table site_views (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  team_id uuid not null references teams on delete cascade,
  name text not null,
  search text not null default '',
  label text not null default '',
  state text not null default '',
  sort text not null default 'newest',
  layout text not null default 'cards',
  created_at timestamptz(3) not null default now(),
  unique (user_id, team_id, name)
);
create index site_views_newest on site_views (user_id, team_id, created_at desc, id desc);
create index site_views_of_team on site_views (team_id);
