-- Every mail that invited somebody, while it counts: withdrawing an invite does not take its mail back. Nothing refers to
-- it, and housekeeping removes what is older than a day.
create table invite_sends (
  id bigint primary key generated always as identity,
  -- The invited address without what follows a plus, which is the same mailbox.
  mailbox text not null,
  team_id uuid not null,
  user_id uuid not null,
  created_at timestamptz(3) not null default now()
);
create index invite_sends_of_mailbox on invite_sends (mailbox, created_at desc);
create index invite_sends_of_team on invite_sends (team_id, created_at desc);
create index invite_sends_of_user on invite_sends (user_id, created_at desc);
create index invite_sends_by_age on invite_sends (created_at);
