-- Those that nobody let in yet are counted with every registration; the others, who stay, would be walked past each time.
drop index oauth_clients_newest;
create index oauth_clients_unused on oauth_clients (created_at desc, id desc) where used_at is null;
