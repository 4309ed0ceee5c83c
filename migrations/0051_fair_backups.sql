-- A site whose backup took long is backed up beside the others, so that none of them waits for it.
alter table backup_clocks add column is_slow boolean not null default false;

-- What the backups of a team have stored lately: it runs out again by the time that its plan gives it.
create table backup_spending (
  team_id uuid primary key references teams on delete cascade,
  level bigint not null,
  at timestamptz(3) not null default now()
);
-- A site of a team that has spent more than it may is not backed up sooner.
alter table backup_clocks add column not_before timestamptz(3);
