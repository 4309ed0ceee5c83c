-- The certificate of each name that is served with TLS: got from an authority by ACME, or the owner's own. Every process that serves reads it here.
create table certificates (
  name text primary key,
  source text not null default 'acme' check (source in ('acme', 'own')),
  -- PEM, the name's own certificate first; null until there is one.
  chain text,
  key_sealed bytea,
  not_before timestamptz(3),
  not_after timestamptz(3),
  renew_at timestamptz(3),
  -- When to get, to renew or to ask about it next.
  next_try_at timestamptz(3) not null default now(),
  -- A process is at it until then.
  taken_until timestamptz(3),
  -- In a row, and what went wrong last.
  failures int not null default 0,
  reason text,
  created_at timestamptz(3) not null default now(),
  check ((chain is null) = (key_sealed is null) and (chain is null) = (not_after is null))
);
create index certificates_due on certificates (next_try_at);

create table acme_accounts (
  directory text primary key,
  key_sealed bytea not null,
  created_at timestamptz(3) not null default now()
);

-- What an authority looks for, and whichever process it asks can answer.
create table acme_challenges (
  token text primary key,
  name text not null,
  type text not null,
  key_authorization text not null,
  expires_at timestamptz(3) not null default now() + interval '1 hour'
);
create index acme_challenges_of_name on acme_challenges (name);
create index acme_challenges_by_age on acme_challenges (expires_at);

create function announce_certificate() returns trigger language plpgsql as $$
begin
  perform pg_notify('certificate_changed', coalesce(new.name, old.name));
  return null;
end $$;
create trigger certificates_changed after insert or delete or update of chain on certificates
  for each row execute function announce_certificate();

-- Whoever has the name next has their own key.
create function forget_certificate_of_name() returns trigger language plpgsql as $$
begin
  delete from certificates where name = old.fqdn;
  return null;
end $$;
create trigger site_names_certificate after delete on site_names
  for each row execute function forget_certificate_of_name();
