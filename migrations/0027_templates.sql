-- Ready-made sites that others can begin with.
create table templates (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  -- Who made it, and for which team; null once they are gone.
  user_id uuid references users on delete set null,
  team_id uuid references teams on delete set null,
  -- Nobody gets it back whose team is gone.
  is_for_team boolean not null,
  url text not null,
  description text not null,
  tag text not null check (tag in ('business', 'blog', 'portfolio', 'other')),
  is_public boolean not null,
  approved boolean not null default false,
  -- The theme to activate, where one was named.
  theme text,
  -- The site that it was made from, where it was made from one.
  of_site_id uuid references sites on delete set null,
  plugins text[],
  readme text,
  commit_hash text,
  -- What sites are made from: a snapshot that the time machine keeps under these names, in the template's own space. Null until it is there.
  content_id uuid,
  content_hash text,
  content_point timestamptz(3),
  host text,
  driver text,
  core_version text,
  php_version text,
  -- The work that makes it anew.
  working_event_id uuid,
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint templates_content check (num_nulls(content_id, content_hash, content_point, host, driver) in (0, 5))
);
create index templates_of_user on templates (user_id);
create index templates_by_age on templates (created_at desc, id desc);
