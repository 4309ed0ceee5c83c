-- Links that open a site's code editor, each once.
create table code_server_tickets (
  ticket_hash bytea primary key,
  site_id uuid not null references sites on delete cascade,
  credential_id uuid not null references credentials on delete cascade,
  expires_at timestamptz not null
);
create index on code_server_tickets (site_id);
create index on code_server_tickets (credential_id);
create index on code_server_tickets (expires_at);

-- Whoever is in an editor leaves it when it is closed, and when its password is another one.
create trigger sites_code_server after update of code_server_enabled, code_server_password_sealed on sites
  for each row execute function announce_site_change();
