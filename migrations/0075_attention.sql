-- What a team should look at is a few rows among many, so each kind has an index of those alone.
create index backup_clocks_failing on backup_clocks (site_id) where failing_since is not null;
create index certificates_failing on certificates (name) where failures > 0;
create index site_names_astray on site_names (site_id) where verified_at is null and looked_at is not null;
