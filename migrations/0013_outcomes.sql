-- An answer that is kept under an Idempotency-Key is shown again only to somebody who still has every role that they had when
-- it was given. Without a status it is no answer yet: something was sent elsewhere, and nobody has said how that ended.
alter table idempotent_answers
  add column roles jsonb not null default '{}',
  alter column status drop not null;
