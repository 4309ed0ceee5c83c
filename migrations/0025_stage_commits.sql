-- A stage is committed: the live site waits, and so does the stage.
alter type hold_kind add value 'committing';

alter table site_stages
  -- What the live site was called then, which is in the addresses of its database.
  add column base_fqdn text,
  -- The stage itself when it began: what it changed is told by it.
  add column stage_hash text,
  add column stage_point timestamptz(3),
  -- A commit that is under way: the live site just before. When it is another one, the commit has been done.
  add column undo_hash text,
  add column undo_point timestamptz(3);
