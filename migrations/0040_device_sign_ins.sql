-- Programs without a browser sign in by a code that their person types into a page (RFC 8628). Of both codes only hashes are kept: that of the one
-- to type is keyed with the platform's key, since it is short enough to be tried.
create table device_sign_ins (
  device_code_hash bytea primary key,
  user_code_hash bytea not null unique,
  client_name text not null,
  -- Where the program asked from, for whoever is to confirm it.
  ip text not null,
  state text not null default 'pending' check (state in ('pending', 'confirmed', 'refused')),
  -- The session that confirmed it: once that has ended, so has this.
  session_id uuid references credentials on delete cascade,
  scopes text[],
  team_id uuid references teams on delete cascade,
  token_expires_at timestamptz(3),
  interval_seconds integer not null,
  polled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  check ((state = 'confirmed') = (session_id is not null and scopes is not null))
);
create index device_sign_ins_of_session on device_sign_ins (session_id) where session_id is not null;
create index device_sign_ins_of_team on device_sign_ins (team_id) where team_id is not null;
create index device_sign_ins_expiring on device_sign_ins (expires_at);
