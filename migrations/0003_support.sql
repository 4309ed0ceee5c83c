-- Places to host in, sites (their substance comes with a later migration), and the support desk.

-- One row: what tells whether a process has the key that this database's secrets are sealed with.
create table platform (
  id boolean primary key default true check (id),
  key_check text not null
);

create table regions (
  id integer primary key generated always as identity,
  name text not null unique,
  city text not null,
  country text not null,
  country_code text not null,
  cname text not null,
  ip text not null,
  name_servers text[] not null default '{}',
  created_at timestamptz(3) not null default now()
);

create table sites (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  fqdn text not null unique,
  created_at timestamptz(3) not null default now()
);
create index sites_newest on sites (team_id, created_at desc, id desc);

create table tickets (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users,
  site_live_id uuid references sites on delete set null,
  subject text not null,
  description text not null,
  category text,
  is_assistant_thread boolean not null default false,
  messages_remaining integer not null check (messages_remaining >= 0),
  assistant_custom_instructions text,
  resolved boolean not null default false,
  resolved_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index tickets_of_team on tickets (team_id, created_at desc, id desc);
create index tickets_of_user on tickets (user_id, created_at desc, id desc);
create index tickets_newest on tickets (created_at desc, id desc);
create index tickets_by_state on tickets (resolved, created_at desc, id desc);

create table ticket_replies (
  id uuid primary key default gen_random_uuid(),
  ticket_id uuid not null references tickets on delete cascade,
  user_id uuid not null references users,
  description text,
  is_assistant_chat_message boolean not null default false,
  assistant_message_id text,
  resolve boolean,
  created_at timestamptz(3) not null default now()
);
create index ticket_replies_newest on ticket_replies (ticket_id, created_at desc, id desc);

-- A file sent to the support desk; a ticket names it as s3_object.
create table attachments (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users,
  ticket_id uuid references tickets on delete cascade,
  name text not null,
  content_type text not null,
  size_bytes integer not null,
  content bytea not null,
  created_at timestamptz(3) not null default now()
);
create index attachments_of_ticket on attachments (ticket_id);
create index attachments_unclaimed on attachments (created_at) where ticket_id is null;
create index attachments_unclaimed_of_user on attachments (user_id) include (size_bytes) where ticket_id is null;
