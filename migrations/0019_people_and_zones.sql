-- Messages to the assistant were counted although nothing answered them; what was taken is given back.
update tickets set messages_remaining = messages_remaining + unanswered.count
  from (
    select ticket_id, count(*)::int as count from ticket_replies where is_assistant_chat_message group by ticket_id
  ) unanswered
  where unanswered.ticket_id = tickets.id;

-- Operators look through everybody, newest first.
create index users_newest on users (created_at desc, id desc);

-- When somebody last asked who serves the zone of a site's domain; null for a name that is new.
alter table sites add column zone_looked_at timestamptz(3);
create index sites_by_zone_look on sites (zone_looked_at nulls first) where domain_option = 'custom';
