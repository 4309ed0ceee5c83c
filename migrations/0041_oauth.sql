-- Programs of others act in somebody's name: OAuth 2.1, for the MCP server (docs/decisions/0041).

-- Whoever registers by itself. `used_at` is when somebody last let it in; nobody ever did, where there is none.
create table oauth_clients (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz(3) not null default now(),
  used_at timestamptz(3)
);
create index oauth_clients_newest on oauth_clients (created_at desc, id desc);

-- What somebody let a program do is a credential like a token, and ends as those do. Its access token is replaced when it is
-- refreshed, and ends before the grant does, whose end is `expires_at`. `resource` is where the token works: everywhere, where it is null.
alter table credentials drop constraint credentials_kind_check;
alter table credentials add constraint credentials_kind_check
  check (kind in ('session', 'api_token', 'metrics', 'ssh_key', 'oauth'));
alter table credentials add column resource text;
alter table credentials add column token_expires_at timestamptz(3);
alter table credentials add column oauth_client_id uuid references oauth_clients on delete cascade;
alter table credentials add constraint credentials_oauth_check
  check ((kind = 'oauth') = (oauth_client_id is not null) and (kind = 'oauth') = (token_expires_at is not null));
create index credentials_of_oauth_client on credentials (oauth_client_id) where oauth_client_id is not null;

-- A used one stays: shown again, somebody else may have it, and the grant ends.
create table oauth_refresh_tokens (
  token_hash bytea primary key,
  credential_id uuid not null references credentials on delete cascade,
  used_at timestamptz(3)
);
create index oauth_refresh_tokens_of_credential on oauth_refresh_tokens (credential_id);

-- One kind of code, whoever it is for. What it gives besides telling who somebody is, is in the last three.
alter table metrics_codes rename to authorization_codes;
alter index metrics_codes_pkey rename to authorization_codes_pkey;
alter index metrics_codes_of_session rename to authorization_codes_of_session;
alter index metrics_codes_of_user rename to authorization_codes_of_user;
alter index metrics_codes_of_credential rename to authorization_codes_of_credential;
alter index metrics_codes_expiring rename to authorization_codes_expiring;
alter table authorization_codes add column scopes text[] not null default '{}';
alter table authorization_codes add column team_id uuid references teams on delete cascade;
alter table authorization_codes add column resource text;
create index authorization_codes_of_team on authorization_codes (team_id) where team_id is not null;
