-- What a check of the store has found: a restore point that can not be restored is not offered.
alter table backups add column damaged_at timestamptz(3);
create index backups_damaged on backups (site_id) where damaged_at is not null;

-- A check goes over all backups of a host in turns.
create table backup_checks (
  host text primary key,
  -- Where the next turn goes on; null when the last one came to the end.
  place jsonb,
  begun_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  -- Of this pass so far, and of the last one that came to its end.
  faults integer not null default 0,
  last_faults integer not null default 0,
  -- Of the last prune.
  prune_troubles integer not null default 0
);
