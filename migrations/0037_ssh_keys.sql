-- Public keys that people come in by ssh with. They are credentials like tokens, and end as those do. Only the SHA-256 of a key is kept: whoever
-- comes shows the key itself.
alter table credentials drop constraint credentials_kind_check;
alter table credentials add constraint credentials_kind_check check (kind in ('session', 'api_token', 'metrics', 'ssh_key'));
alter table credentials add column key_type text;
alter table credentials add column key_hash bytea;
alter table credentials add constraint credentials_key_check
  check ((kind = 'ssh_key') = (key_type is not null) and (kind = 'ssh_key') = (key_hash is not null));
-- Two people may have the same key, as somebody with two accounts does.
create unique index credentials_key on credentials (key_hash, user_id) where key_hash is not null;
