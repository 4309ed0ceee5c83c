-- WordPress' debug mode, which the edge hears of like of everything else that a site's processes are started with.
alter table sites add column debug_enabled boolean not null default false;
-- Who brings a deleted site back gets every column from what was kept of it.
update deleted_sites set site = site || '{"debug_enabled": false}';

drop trigger sites_route on sites;
create trigger sites_route after insert or delete or update of team_id, fqdn, busy, is_sleeping, http_auth_enabled,
  http_auth_password_sealed, cdn_dev_mode_enabled, cdn_firewall_enabled, cdn_firewall_allowed_ips, core_version, php_version,
  debug_enabled on sites for each row execute function announce_site_change();
