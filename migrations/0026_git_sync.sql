-- A sync has a site in three ways: while the repository is fetched the site goes on, while files are placed nobody has it, and while
-- its pages are looked at afterwards its visitors still wait.
alter type hold_kind add value 'git_fetch';
alter type hold_kind add value 'git_sync';
alter type hold_kind add value 'git_check';

-- The repositories that sites and stages follow. Without a reference to sites: it stays while its site is kept deleted.
create table git_links (
  site_id uuid primary key,
  git_url text not null,
  -- Null follows the repository's own default, which was this one when it was last looked at.
  branch text,
  default_branch text,
  -- What opens it; `uses_account` tells an account that is gone from a repository that is open to everybody.
  account_id uuid references git_accounts on delete set null,
  uses_account boolean not null,
  -- Whoever sends a push to the site's address signs it with this.
  hook_secret_sealed bytea not null,
  -- The files of the last sync, as compressed JSON: what belongs to Git.
  files bytea,
  -- The commit that was tried last, whatever came of it: by itself it is not tried again.
  tried_hash text,
  -- Why the last look or sync failed.
  problem text,
  -- How far the sync is that runs, and the files that it brings.
  running jsonb,
  running_files bytea,
  look_at timestamptz(3) not null default now() + interval '5 minutes',
  created_at timestamptz(3) not null default clock_timestamp()
);
create index git_links_due on git_links (look_at);
create index git_links_of_account on git_links (account_id);
