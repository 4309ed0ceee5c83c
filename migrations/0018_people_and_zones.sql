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

-- Who is blocked is out everywhere, of the copies of sites too that they look at.
create function end_previews_of_blocked() returns trigger language plpgsql as $$
begin
  update site_previews set expires_at = now() where user_id = new.id and expires_at > now();
  return null;
end $$;
create trigger users_previews after update of is_active on users
  for each row when (not new.is_active) execute function end_previews_of_blocked();

-- From now on such a link empties the account where its user does not say that it was theirs, which these did not ask.
update mailed_links set used_at = now() from users
  where users.id = mailed_links.user_id and not users.is_verified and purpose = 'password_reset' and used_at is null;
