-- Where a session is used, so that its owner can tell it from somebody else's.
alter table credentials add column user_agent text;
alter table credentials add column ip text;

-- A new email address that waits to be confirmed, and the way back to the one before.
create table email_changes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  old_email text not null,
  new_email text not null check (new_email = lower(new_email)),
  expires_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  reverted_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index email_changes_of_user on email_changes (user_id, created_at desc);
create index email_changes_expiring on email_changes (expires_at);
create index email_changes_way_back on email_changes (old_email) where confirmed_at is not null;
