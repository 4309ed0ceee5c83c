-- An answer that is kept can hold a cookie, so from now on its headers are sealed together with its body, in body_sealed. Answers
-- that were kept before still have theirs here; they are gone within a day.
alter table idempotent_answers
  alter column headers drop not null,
  -- The session that the answer gave, where it gave one: the answer is shown again only while that lasts.
  add column session_id uuid;
