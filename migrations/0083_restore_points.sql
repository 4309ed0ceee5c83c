-- A minute that somebody gave a name. It is kept for as long as it has one, whatever the plan's window says.
create table restore_points (
  id uuid primary key default gen_random_uuid(),
  backup_id uuid not null unique references backups on delete cascade,
  site_id uuid not null,
  commit_hash text not null,
  -- The instant of that backup.
  restore_point timestamptz(3) not null,
  name text not null,
  user_id uuid references users on delete set null,
  created_at timestamptz(3) not null default now()
);
create index restore_points_of_site on restore_points (site_id, restore_point desc, id desc);
