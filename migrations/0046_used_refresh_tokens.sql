-- Those that were used long ago are deleted, every hour.
create index oauth_refresh_tokens_used on oauth_refresh_tokens (used_at) where used_at is not null;
