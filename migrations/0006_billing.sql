-- What teams pay for, what the payment provider knows of it, and what teams use within a cycle.

alter table teams
  -- Since when money is owed, or more is used than the plan free has after a paid one ended. Fourteen days later the team is expired.
  add column unpaid_since timestamptz(3),
  -- The provider's period of a paid team.
  add column period_start timestamptz(3),
  add column period_end timestamptz(3),
  -- Where the months of other teams are counted from, and the time zone that the present cycle was counted in.
  add column cycle_anchor timestamptz(3) not null default now(),
  add column cycle_timezone text not null default 'UTC';
update teams set cycle_anchor = cycle_start, cycle_timezone = timezone;
create index teams_by_cycle_end on teams (cycle_end);
create index teams_in_other_time_zone on teams (id) where cycle_timezone <> timezone;
create index teams_unpaid on teams (id) where unpaid_since is not null;

-- What a team used, by the hour. A cycle that begins within an hour has a row of its own from that moment on, so that
-- every row belongs to one cycle.
create table team_usage (
  team_id uuid not null references teams on delete cascade,
  hour timestamptz(3) not null,
  visits bigint not null default 0,
  bytes bigint not null default 0,
  primary key (team_id, hour)
);
insert into team_usage (team_id, hour, visits, bytes)
  select s.team_id, u.hour, sum(u.visits), sum(u.bytes) from site_usage u join sites s on s.id = u.site_id group by 1, 2;

-- Which limits an owner was told of. Another plan or another cycle is another limit.
create table limit_notices (
  team_id uuid not null references teams on delete cascade,
  cycle_start timestamptz(3) not null,
  plan_type_name text not null,
  resource text not null check (resource in ('visits', 'bandwidth')),
  percent integer not null,
  created_at timestamptz(3) not null default now(),
  primary key (team_id, cycle_start, plan_type_name, resource, percent)
);

-- `account` names the provider and which of its worlds: what one knows means nothing to another.
create table payment_customers (
  account text not null,
  customer_id text not null,
  user_id uuid not null references users,
  -- The number of the reading that was applied last. A reading that began before it has nothing new to say.
  last_reading bigint not null default 0,
  -- The number that the provider's last event drew. Until a reading with a higher one was applied, one is owed.
  wanted_reading bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  primary key (account, customer_id),
  unique (account, user_id)
);
create index payment_customers_to_read on payment_customers (account) where wanted_reading > last_reading;
create sequence payment_readings;

-- Written before the provider is asked, so that whatever happens then, the same checkout is found again.
create table checkouts (
  id uuid primary key default gen_random_uuid(),
  account text not null,
  user_id uuid not null references users,
  -- The team that is upgraded, or the one that was made when the payment was known.
  team_id uuid references teams on delete cascade,
  -- As whoever pays is shown it.
  team_name text not null,
  makes_team boolean not null,
  plan_type_name text not null,
  interval text not null check (interval in ('month', 'year')),
  status text not null default 'open' check (status in ('open', 'paid', 'closed')),
  session_id text,
  created_at timestamptz(3) not null default now(),
  check (team_id is not null or makes_team)
);
create unique index one_open_checkout_per_team on checkouts (account, team_id) where status = 'open' and not makes_team;
create index checkouts_of_user on checkouts (user_id) where status = 'open';
create index checkouts_open on checkouts (created_at) where status = 'open';

create table subscriptions (
  account text not null,
  id text not null,
  customer_id text not null,
  team_id uuid not null references teams on delete cascade,
  status text not null,
  created_at timestamptz(3) not null default now(),
  primary key (account, id),
  foreign key (account, customer_id) references payment_customers
);
create index subscriptions_of_team on subscriptions (team_id);
create index subscriptions_of_customer on subscriptions (account, customer_id);

-- The provider's events that were heard: a replay changes nothing.
create table payment_events (
  account text not null,
  id text not null,
  received_at timestamptz(3) not null default now(),
  primary key (account, id)
);
create index payment_events_by_age on payment_events (received_at);

-- The objects of the built-in test provider, each as its API shows it.
create table test_payment_objects (
  id text primary key,
  object text not null,
  customer text,
  data jsonb not null,
  number bigint not null generated always as identity
);
create index test_payment_objects_of_customer on test_payment_objects (customer, object);
