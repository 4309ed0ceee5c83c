-- Tickets wait for support until a person answers. Those that the assistant's reply took out of the queue return to it: the newest reply
-- written by a person is not an operator's.
update tickets t set waits_for = 'support'
where not t.resolved and t.waits_for <> 'support' and not coalesce((
  select u.is_superuser and u.id <> t.user_id from ticket_replies r join users u on u.id = r.user_id
  where r.ticket_id = t.id and r.assistant_message_id is null and r.description is not null
  order by r.created_at desc limit 1
), false);
