-- What the assistant makes of a message to it: one row for each question, from when it is asked until its answer is a reply. While it is
-- being written, whoever reads the ticket sees it grow.
create table ticket_answers (
  question_id uuid primary key references ticket_replies on delete cascade,
  ticket_id uuid not null references tickets on delete cascade,
  -- Whoever asked is looked up anew by this for each step. No reference: a session may end meanwhile.
  credential_id uuid not null,
  ip text not null,
  state text not null default 'waiting' check (state in ('waiting', 'writing', 'answered', 'failed')),
  text text not null default '',
  steps jsonb not null default '[]',
  tokens integer not null default 0,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3)
);
create index ticket_answers_of_ticket on ticket_answers (ticket_id, created_at desc);
-- An answer names the message that it answers, so there are never two.
create unique index ticket_replies_answer on ticket_replies (assistant_message_id) where assistant_message_id is not null;
