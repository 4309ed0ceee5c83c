-- A stage is made while its live site goes on: this hold keeps other works away, and nobody's visitors.
alter type hold_kind add value 'staging';

-- A site has one stage.
create unique index sites_one_stage on sites (of_site_id) where kind = 'stage';

-- What only stages have.
create table site_stages (
  site_id uuid primary key references sites on delete cascade,
  -- The snapshot of the live site that it was made from, and the instant of that: what each side changed is told by it.
  base_hash text,
  base_point timestamptz(3),
  git_branch text
);

-- What stages wanted to mail, for people to look at. Nobody else gets it.
create table held_mails (
  id uuid primary key default gen_random_uuid(),
  site_id uuid not null references sites on delete cascade,
  sender text not null,
  recipients text[] not null,
  subject text not null,
  text text not null,
  html text,
  attachments text[] not null,
  written_at timestamptz(3) not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index held_mails_of_site on held_mails (site_id, created_at desc, id desc);
