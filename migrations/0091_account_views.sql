-- An operator looks at the platform as somebody else sees it, for a while and without changing anything. The row is the credential while it lasts,
-- and the record of it afterwards. It is good only as long as the session that it was begun with.
create table account_views (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  user_id uuid not null references users on delete cascade,
  operator_id uuid not null references users on delete cascade,
  session_id uuid not null,
  reason text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index account_views_of_user on account_views (user_id, created_at desc, id desc);
create index account_views_of_operator on account_views (operator_id);
create index account_views_by_age on account_views (created_at);
