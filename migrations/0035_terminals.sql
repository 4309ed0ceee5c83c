-- A ticket opens one WebSocket of a terminal, once. Only its hash is kept, and whoever redeems it takes it away.
create table terminal_tickets (
  ticket_hash bytea primary key,
  -- What it was asked for with: once that has ended, so has the ticket.
  credential_id uuid not null references credentials on delete cascade,
  site_id uuid not null references sites on delete cascade,
  session_id uuid not null,
  -- Whether there may be no such terminal yet.
  is_new boolean not null,
  -- For a page that has no session of its own: with the connection it gets the ticket for the next one.
  carries_on boolean not null,
  expires_at timestamptz(3) not null
);
create index terminal_tickets_of_credential on terminal_tickets (credential_id);
create index terminal_tickets_of_site on terminal_tickets (site_id);
create index terminal_tickets_expiring on terminal_tickets (expires_at);
