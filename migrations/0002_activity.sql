-- What happened, and the answers kept for repeated requests.

create sequence event_positions;

create table events (
  id uuid primary key default gen_random_uuid(),
  seq bigint not null generated always as identity,
  -- Where the event's newest state stands in the stream: the transaction that wrote it, then a number inside it. Readers
  -- go only as far as the oldest transaction still running, so a slow commit is never stepped over.
  xid xid8 not null,
  position bigint not null,
  team_id uuid references teams on delete cascade,
  user_id uuid references users,
  site_live_id uuid,
  fqdn text,
  scope text not null check (scope in ('account', 'team', 'site', 'stage')),
  event_type text not null,
  activity text not null,
  description text,
  detail jsonb not null default '{}',
  item_id uuid,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  check (team_id is not null or user_id is not null)
);
create index events_of_team on events (team_id, created_at desc, id desc);
create index events_of_team_by_fqdn on events (team_id, fqdn, created_at desc, id desc) where fqdn is not null;
create index events_of_account on events (user_id, created_at desc, id desc) where team_id is null;
create index events_of_site on events (site_live_id, created_at desc, id desc) where site_live_id is not null;
create index events_in_stream on events (xid, position);

create function place_event() returns trigger language plpgsql as $$
begin
  new.xid := pg_current_xact_id();
  new.position := nextval('event_positions');
  perform pg_notify('event', '');
  return new;
end $$;
create trigger events_placed before insert or update on events for each row execute function place_event();

create table idempotent_answers (
  caller text not null,
  key text not null,
  request_hash bytea not null,
  status integer not null,
  headers jsonb not null,
  body_sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (caller, key)
);
create index idempotent_answers_by_age on idempotent_answers (created_at);

-- Jobs that failed for good: the operator's dead-letter view.
create table failed_jobs (
  id uuid primary key,
  queue text not null,
  key text,
  kind text not null,
  payload jsonb not null,
  error text,
  created_at timestamptz(3) not null default now()
);
create index failed_jobs_newest on failed_jobs (created_at desc, id desc);
