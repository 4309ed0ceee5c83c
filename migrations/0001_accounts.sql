-- People, the teams they own or belong to, and what they sign in with.

create table users (
  id uuid primary key default gen_random_uuid(),
  email text not null unique check (email = lower(email)),
  password_hash text not null,
  first_name text not null,
  last_name text not null,
  is_active boolean not null default true,
  is_superuser boolean not null default false,
  is_verified boolean not null default false,
  is_payment_verified boolean not null default false,
  analytics_user_id text,
  -- Events whose seq is at most this are read; a cursor, so that reading costs one row and not one per event.
  events_read_to bigint not null default 0,
  created_at timestamptz(3) not null default now()
);

create table teams (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  name text not null,
  tenant_id text not null unique,
  timezone text not null default 'UTC',
  plan_type_name text not null default 'free',
  is_default boolean not null default false,
  is_active boolean not null default true,
  is_expired boolean not null default false,
  metrics_org_id integer not null unique generated always as identity,
  additional_sites integer,
  analytics_team_id text,
  sub_id text,
  interval text,
  currency text,
  cancel_at timestamptz(3),
  cancel_at_period_end boolean not null default false,
  trial_ends_on timestamptz(3),
  cycle_start timestamptz(3) not null,
  cycle_end timestamptz(3) not null,
  current_cycle_visits bigint not null default 0,
  current_cycle_bandwidth bigint not null default 0,
  storage_usage bigint not null default 0,
  created_at timestamptz(3) not null default now()
);
create index teams_by_owner on teams (user_id);
create index teams_newest on teams (created_at desc, id desc);

create table team_members (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  joined_at timestamptz(3) not null default now(),
  unique (team_id, user_id)
);
create unique index one_owner_per_team on team_members (team_id) where role = 'owner';
create index team_members_by_user on team_members (user_id) include (team_id, role);
create index team_members_newest on team_members (team_id, joined_at desc, id desc);

create table team_invites (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  created_by uuid references users,
  target_email text not null check (target_email = lower(target_email)),
  first_name text,
  message text,
  role text not null check (role in ('admin', 'member', 'viewer')),
  expiry timestamptz(3) not null,
  accepted_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index team_invites_newest on team_invites (team_id, created_at desc, id desc);
-- Two people inviting the same address at once make one invite; an expired one is removed before a new one is written.
create unique index one_open_invite_per_address on team_invites (team_id, target_email) where accepted_at is null;

-- Sessions and personal API tokens. Only the hash of a token is kept; revoking is deleting the row.
create table credentials (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  kind text not null check (kind in ('session', 'api_token')),
  user_id uuid not null references users on delete cascade,
  team_id uuid references teams on delete cascade,
  name text,
  scopes text[] not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index credentials_of_user on credentials (user_id, kind, created_at desc, id desc);
create index credentials_expiring on credentials (expires_at) where expires_at is not null;

-- What a mailed link stands for. The link's token is derived from the id with the platform's key, so nothing here is secret.
create table mailed_links (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  purpose text not null check (purpose in ('verify_email', 'password_reset')),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index mailed_links_of_user on mailed_links (user_id);
create index mailed_links_expiring on mailed_links (expires_at);

-- Whoever caches what a caller may do listens here; the payload is the user whose rights changed.
create function announce_access_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', coalesce(new.user_id, old.user_id)::text);
  return null;
end $$;
create trigger credentials_access after update of scopes, team_id, expires_at or delete on credentials
  for each row execute function announce_access_change();
create trigger team_members_access after insert or update or delete on team_members
  for each row execute function announce_access_change();

create function announce_user_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', new.id::text);
  return null;
end $$;
create trigger users_access after update of is_active, is_superuser, is_verified, email, first_name, last_name on users
  for each row execute function announce_user_change();
