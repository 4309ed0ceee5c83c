-- Credentials for sites that are hosted elsewhere, and what a change of the platform's key needs to know.

create table application_passwords (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users,
  -- A host name, with a port where it is not 443.
  fqdn text not null,
  username text not null,
  password_sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  unique (team_id, fqdn)
);
create index application_passwords_newest on application_passwords (team_id, created_at desc, id desc);

alter table platform
  -- What has to outlive every key: the salts of sites come from it. Null until the first start after this migration.
  add column lasting_key_sealed bytea,
  -- The keys that something may still be sealed with, and when a process last said so.
  add column previous_key_checks text[] not null default '{}',
  add column reseal_asked_at timestamptz(3);
