-- Accounts at Git hosts that a user linked. What opens them is sealed with the platform's key.
create table git_accounts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  provider text not null check (provider in ('github', 'gitlab', 'gitea', 'ssh')),
  base_url text not null,
  login text,
  -- The token, or for ssh the private key.
  secret_sealed bytea not null,
  public_key text,
  -- Why it could not be used the last time; null while it works.
  problem text,
  created_at timestamptz(3) not null default now(),
  -- One credential for each host, so that there is never a choice.
  unique (user_id, base_url)
);
create index git_accounts_newest on git_accounts (user_id, created_at desc, id desc);

-- The sites that are linked to a repository, by team.
create index sites_with_git on sites (team_id) where git_url is not null;
