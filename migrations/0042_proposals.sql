-- A call that would change something and waits for whoever asked for it to confirm: once, within an hour, and with their rights of then.
create table proposals (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  -- What the call may reach is this team's alone; null where it names none.
  team_id uuid references teams on delete cascade,
  operation text not null,
  -- The call as it will be made. Sealed, since it can hold a password.
  input_sealed bytea not null,
  -- What it would do, in words and where there is a comparison as that.
  description text not null,
  preview jsonb,
  state text not null default 'open' check (state in ('open', 'confirmed', 'refused', 'failed')),
  -- How the call ended; null until it has.
  result jsonb,
  source text not null check (source in ('api', 'mcp', 'ticket')),
  ticket_id uuid references tickets on delete cascade,
  reply_id uuid references ticket_replies on delete cascade,
  -- Whoever confirmed is looked up anew by this when the call is made. No reference: a session may end meanwhile.
  confirmed_with uuid,
  -- Set before the first attempt, so that a second one after a kill knows that the first may have had its effect.
  begun_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  decided_at timestamptz
);
create index proposals_of_user on proposals (user_id, created_at desc, id desc);
create index proposals_of_ticket on proposals (ticket_id) where ticket_id is not null;
create index proposals_of_team on proposals (team_id) where team_id is not null;
create index proposals_of_reply on proposals (reply_id) where reply_id is not null;
