-- Every confirmed call is made once by the answer that is kept under its id, whatever its method, so nobody has to know of an attempt before.
alter table proposals drop column begun_at;
-- Whether the call may reach its team's things alone: where it was asked for within that, by a ticket's assistant or a token of one team.
alter table proposals add column is_bound boolean not null default true;
-- How many of somebody's are open is asked before there is one more.
create index open_proposals_of_user on proposals (user_id, expires_at) where state = 'open';
-- Whose wishes they are: the assistant heeds those of whoever asks it, and of nobody else in the team. Null is whoever opened the ticket.
alter table tickets add column instructions_by uuid references users on delete set null;
