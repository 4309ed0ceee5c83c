-- Who has a ticket, whom it waits for and when something last happened in it. What an older process writes meanwhile waits for support, which is
-- where somebody looks.
alter table tickets
  add column assignee_id uuid references users on delete set null,
  add column waits_for text not null default 'support' check (waits_for in ('support', 'asker', 'assistant')),
  add column active_at timestamptz(3) not null default now();
update tickets t set active_at = coalesce(last.created_at, t.created_at),
  waits_for = case when last.is_answer then 'asker' else 'support' end
from tickets ticket left join lateral (
  select r.created_at, r.assistant_message_id is not null or (u.is_superuser and u.id <> ticket.user_id) as is_answer
  from ticket_replies r join users u on u.id = r.user_id where r.ticket_id = ticket.id order by r.created_at desc limit 1
) last on true where ticket.id = t.id;

create index tickets_active on tickets (active_at desc, id desc);
create index tickets_by_state_active on tickets (resolved, active_at desc, id desc);
create index tickets_waiting on tickets (waits_for, active_at desc, id desc) where not resolved;
create index tickets_assigned on tickets (assignee_id, active_at desc, id desc) where assignee_id is not null;
create index tickets_of_user_active on tickets (user_id, active_at desc, id desc);

-- Which reply a file came with; null for the ticket itself.
alter table attachments add column reply_id uuid references ticket_replies on delete cascade;
create index attachments_of_reply on attachments (reply_id) where reply_id is not null;
