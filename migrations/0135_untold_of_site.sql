-- What waits to be told of is found site by site, so that what waits of one team is not all that is looked at.
create index backups_untold_of_site on backups (site_id, created_at) where not is_told;
drop index backups_untold;
