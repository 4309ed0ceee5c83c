-- The latest time that the database's clock has shown. A clock that is behind it was set back, and what is due has to be brought along.
alter table platform add column clock_at timestamptz not null default now();
-- When it was last seen to leap ahead: for a day nothing is removed for its age alone.
alter table platform add column clock_leapt_at timestamptz;

-- What is old is looked for every hour. These tables grow in the order of time, for which a summary by blocks is enough.
create index events_by_age on events using brin (created_at);
create index site_usage_by_age on site_usage using brin (hour);
create index team_usage_by_age on team_usage using brin (hour);
