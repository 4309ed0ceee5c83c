-- A stage is committed: the live site waits, and so does the stage.
alter type hold_kind add value 'committing';

-- What both sides went on from: when the stage was made, and after each commit. The newest row counts; when live goes back to
-- before a commit, the one before that counts again.
create table stage_bases (
  id bigint generated always as identity primary key,
  stage_id uuid not null references sites on delete cascade,
  live_hash text not null,
  live_point timestamptz(3) not null,
  -- What the live site was called then, which is in the addresses of its database.
  live_fqdn text not null,
  stage_hash text not null,
  stage_point timestamptz(3) not null
);
create index stage_bases_of_stage on stage_bases (stage_id, id desc);

alter table site_stages
  -- A commit that is under way: the live site just before. When it is another one, the commit has been done.
  add column undo_hash text,
  add column undo_point timestamptz(3);
