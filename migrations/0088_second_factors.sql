-- What somebody signs in with besides a password, or instead of it.

create table totp_secrets (
  user_id uuid primary key references users on delete cascade,
  secret_sealed bytea not null,
  -- Null until a code has shown that the person's program has the secret.
  confirmed_at timestamptz(3),
  -- The newest thirty seconds of which a code was taken: neither that code nor an older one is taken again.
  last_step bigint not null default 0,
  -- Wrong codes since a moment, so that guessing is bounded whatever process is asked and however often it is started.
  failures integer not null default 0,
  failing_since timestamptz(3),
  created_at timestamptz(3) not null default now()
);

create table passkeys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null default 0,
  transports text[] not null default '{}',
  name text not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index passkeys_of_user on passkeys (user_id, created_at, id);

-- A code is deleted when it is used.
create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (user_id, code_hash)
);

-- A step of signing in, or of adding a passkey, that waits for an answer. The token that stands for it is derived from the id.
create table sign_in_challenges (
  id uuid primary key default gen_random_uuid(),
  -- Null where a passkey is to say who it is.
  user_id uuid references users on delete cascade,
  purpose text not null check (purpose in ('second_step', 'passkey_sign_in', 'new_passkey')),
  -- What the passkey signs.
  nonce text not null,
  tries integer not null default 0,
  expires_at timestamptz(3) not null
);
create index sign_in_challenges_of_user on sign_in_challenges (user_id);
create index sign_in_challenges_expiring on sign_in_challenges (expires_at);
