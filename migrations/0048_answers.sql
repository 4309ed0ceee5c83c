-- Messages from before the assistant answered in a job: nobody will answer them, so nobody waits for that.
update ticket_replies r set is_assistant_chat_message = false
  where is_assistant_chat_message and not exists (select from ticket_answers where question_id = r.id);
-- An answer that has ended is the reply; what it was written for needs no address any more.
update ticket_answers set text = '', ip = '' where ended_at is not null;
-- What answers of the last day have cost is asked before each.
create index ticket_answers_newest on ticket_answers (created_at);
