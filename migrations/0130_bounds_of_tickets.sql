-- What one person has written to the support desk, and uploaded for it, is counted before more is taken.
create index ticket_replies_of_user on ticket_replies (user_id, created_at);
create index tickets_of_user_written on tickets (user_id, created_at);
create index attachments_of_user on attachments (user_id) include (size_bytes, ticket_id);
drop index attachments_unclaimed_of_user;
