-- People who are in a team for some of its sites alone. They have no row in team_members, so whatever asks for the team refuses them,
-- a process that knows nothing of this included.
create table limited_members (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users,
  joined_at timestamptz(3) not null default now(),
  unique (team_id, user_id)
);
create index limited_members_by_user on limited_members (user_id) include (team_id);

-- What they are on each of them.
create table site_roles (
  user_id uuid not null,
  site_id uuid not null references sites on delete cascade,
  team_id uuid not null,
  role text not null check (role in ('admin', 'member', 'viewer')),
  primary key (user_id, site_id),
  foreign key (team_id, user_id) references limited_members (team_id, user_id) on delete cascade
);
create index site_roles_of_site on site_roles (site_id);
create index site_roles_of_member on site_roles (team_id, user_id);

create trigger limited_members_access after insert or update or delete on limited_members
  for each row execute function announce_access_change();
create trigger site_roles_access after insert or update or delete on site_roles
  for each row execute function announce_access_change();

-- A preview ends with the right to its site.
create function end_previews_of_site_role() returns trigger language plpgsql as $$
begin
  update sites set expires_at = now()
  where kind = 'preview' and of_site_id = old.site_id and user_id = old.user_id and expires_at > now();
  return null;
end $$;
create trigger site_roles_previews after delete on site_roles for each row execute function end_previews_of_site_role();

-- A site that goes to another team leaves behind whom the first team let at it.
create function end_site_roles_of_moved() returns trigger language plpgsql as $$
begin
  delete from site_roles where site_id = new.id;
  return null;
end $$;
create trigger sites_moved_roles after update of team_id on sites
  for each row when (old.team_id is distinct from new.team_id) execute function end_site_roles_of_moved();

-- The sites that an invite is for; null is the whole team.
alter table team_invites add column site_ids uuid[];
-- Which site a proposed call is about, for whoever is limited to some.
alter table proposals add column site_id uuid;

-- Everybody in a team, whole or in part.
create view team_people as
  select id, team_id, user_id, role, joined_at from team_members
  union all
  select id, team_id, user_id, 'limited', joined_at from limited_members;
create index limited_members_newest on limited_members (team_id, joined_at desc, id desc);
