-- Signing in to the metrics dashboard: OAuth2's authorization codes, and a kind of credential that says who somebody is.

alter table credentials drop constraint credentials_kind_check;
alter table credentials add constraint credentials_kind_check check (kind in ('session', 'api_token', 'metrics'));

-- Only the hash of a code is kept. A used one stays until its token is over, so that a second use can end that token.
create table metrics_codes (
  code_hash bytea primary key,
  -- The session that asked for it: once that has ended, by signing out or with a new password, so has the code.
  session_id uuid not null references credentials on delete cascade,
  user_id uuid not null references users on delete cascade,
  client_id text not null,
  redirect_uri text not null,
  code_challenge text,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- The token that it was exchanged for.
  credential_id uuid references credentials on delete set null
);
create index metrics_codes_of_session on metrics_codes (session_id);
create index metrics_codes_of_user on metrics_codes (user_id);
create index metrics_codes_of_credential on metrics_codes (credential_id) where credential_id is not null;
create index metrics_codes_expiring on metrics_codes (expires_at);
