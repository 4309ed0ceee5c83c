-- The latest time that the database's clock has shown. A clock that is behind it was set back, and what is due has to be brought along.
alter table platform add column clock_at timestamptz not null default now();
-- When it was last seen to leap ahead: for a day nothing is removed for its age alone.
alter table platform add column clock_leapt_at timestamptz;
