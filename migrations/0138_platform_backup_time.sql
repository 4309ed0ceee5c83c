-- When the platform itself was last backed up. Where it never was, its age counts from the day this was first looked at.
alter table platform add column backed_up_at timestamptz;
alter table platform add column backup_watched_since timestamptz not null default now();
