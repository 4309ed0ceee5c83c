-- Outgoing webhooks: who is told of a team's events, and what was sent to them.

create table webhooks (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  -- Who answers for it: whoever made it, gave it its address or switched it on last.
  user_id uuid not null references users,
  url text not null,
  description text not null default '',
  -- Names such as site.created, or site.* for all that begin so; empty is everything.
  event_types text[] not null default '{}',
  is_active boolean not null default true,
  -- Why the platform switched it off; null where a person did.
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'person_left')),
  -- The first of the failures since it last took a call.
  failing_since timestamptz(3),
  -- The platform switched it off and has yet to say so.
  notice_due boolean not null default false,
  created_at timestamptz(3) not null default now()
);
create index webhooks_of_team on webhooks (team_id, created_at desc, id desc);
create index webhooks_of_person on webhooks (user_id);
create index webhooks_with_notice on webhooks (id) where notice_due;

-- What calls are signed with. After a rotation the older one stays good for a while, and calls carry both signatures.
create table webhook_secrets (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks on delete cascade,
  secret_sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  -- Null for the one in use.
  expires_at timestamptz(3)
);
create index webhook_secrets_of_webhook on webhook_secrets (webhook_id);
create unique index one_secret_in_use on webhook_secrets (webhook_id) where expires_at is null;

-- One call that is to be made, and how that went. The id is what the receiver knows the call by, however often it comes.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks on delete cascade,
  -- Null for a test call.
  event_id uuid,
  event_type text not null,
  -- The event's row as it was: what is told of a beginning does not show the end.
  event jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- When it is to be tried; while somebody is at it, when that one is taken for dead.
  due_at timestamptz(3) default now(),
  -- Names the attempt that is under way, so that one which was given up on writes nothing.
  lease uuid,
  attempted_at timestamptz(3),
  delivered_at timestamptz(3),
  response_status integer,
  response_body text,
  duration_ms integer,
  error text,
  created_at timestamptz(3) not null default now(),
  check ((state = 'waiting') = (due_at is not null))
);
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at desc, id desc);
create index webhook_deliveries_by_state on webhook_deliveries (webhook_id, state, created_at desc, id desc);
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- Writes what is to be told in the transaction of the event itself. An endpoint is not told of itself. The lock waits for
-- whoever deletes an endpoint at this moment, for its deletion must not be this transaction's failure.
create function tell_webhooks() returns trigger language plpgsql as $$
begin
  -- Most teams have none, and a mere look costs less than a statement that writes and locks.
  if not exists (select from webhooks where team_id = new.team_id and is_active) then
    return null;
  end if;
  insert into webhook_deliveries (webhook_id, event_id, event_type, event)
  select id, new.id, new.event_type, to_jsonb(new) - 'seq' - 'xid' - 'position' from webhooks
  where team_id = new.team_id and is_active and id is distinct from new.item_id
    and (event_types = '{}' or new.event_type = any(event_types)
      or split_part(new.event_type, '.', 1) || '.*' = any(event_types))
  for key share;
  if found then
    perform pg_notify('webhook', '');
  end if;
  return null;
end $$;
create trigger events_webhooks_begun after insert on events
  for each row when (new.team_id is not null) execute function tell_webhooks();
create trigger events_webhooks_finished after update on events
  for each row when (new.team_id is not null and old.finished_at is null and new.finished_at is not null)
  execute function tell_webhooks();

-- Whoever may no longer manage a team's webhooks must not go on hearing from the team through one of their own.
create function switch_off_webhooks_of_person() returns trigger language plpgsql as $$
begin
  update webhooks set is_active = false, disabled_reason = 'person_left', notice_due = true
  where team_id = old.team_id and user_id = old.user_id and is_active;
  if found then
    perform pg_notify('webhook', '');
  end if;
  return null;
end $$;
create trigger team_members_webhooks_left after delete on team_members
  for each row execute function switch_off_webhooks_of_person();
create trigger team_members_webhooks_lowered after update of role on team_members
  for each row when (new.role not in ('owner', 'admin')) execute function switch_off_webhooks_of_person();
