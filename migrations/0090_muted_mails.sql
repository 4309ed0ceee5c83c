-- The kinds of mail that somebody does not want. What is no list of kinds yet is mailed to everybody.
alter table users add column muted_mails text[] not null default '{}';
