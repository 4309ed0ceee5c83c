-- Whether somebody has looked what is new in a backup. Those of before count as looked at: nobody has to go over all that is kept. Old processes
-- leave it out, and what they keep is looked at too.
alter table backups add column is_told boolean not null default true;
alter table backups alter column is_told set default false;
create index backups_untold on backups (created_at) where not is_told;

-- What happened to a site, as people would tell it. It goes with the backup that has it for the first time, so that all that is listed can be gone back to.
create table site_moments (
  backup_id uuid not null references backups on delete cascade,
  place smallint not null,
  site_id uuid not null,
  at timestamptz(3) not null,
  kind text not null,
  change text not null check (change in ('added', 'changed', 'removed')),
  text text not null,
  -- The minute that a restore went back to.
  point timestamptz(3),
  primary key (backup_id, place)
);
create index moments_of_site on site_moments (site_id, at desc, place);
