-- A change of what runs in a site (a plugin, a theme, WordPress, PHP) has it in three ways: while its pages are looked at before, the site goes on;
-- then it is `updating`, and nobody has it; and while its pages are looked at afterwards its visitors still wait.
alter type hold_kind add value 'update_look';
alter type hold_kind add value 'update_check';

-- What a site and a stage run, as they last said it themselves. Without a reference to sites: it stays while its site is kept deleted.
create table site_software (
  site_id uuid primary key,
  -- When they were last asked; null before the first time.
  checked_at timestamptz(3),
  found jsonb,
  updates_waiting integer not null default 0,
  -- The updates that were taken back, by what they were of: by themselves they are not tried again.
  rejected jsonb not null default '{}',
  -- How far the change is that runs, and the event of the last one.
  running jsonb,
  event_id uuid,
  -- When its turn by the clock was last taken.
  planned_at timestamptz(3)
);
