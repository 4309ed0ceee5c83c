-- What is kept beside a template: a static export that can be browsed, a picture, and how much of its team's storage it takes.
alter table templates
  add column wants_demo boolean not null default false,
  -- A snapshot of the same site as the content, a moment later, with the export in it.
  add column demo_hash text,
  add column demo_point timestamptz(3),
  -- The theme that sites made from it have, whose picture stands for it.
  add column active_theme text,
  -- Which of the platform's own it is, and what it was made from.
  add column shipped_as text unique,
  add column storage_bytes bigint not null default 0,
  add constraint templates_demo check (num_nulls(demo_hash, demo_point) in (0, 2));
