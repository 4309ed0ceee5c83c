-- The pod of a site asks every few seconds what of its host is held (docs/decisions/0071), and a fleet has as many hosts as sites.
create index sites_host on sites (host);
create index deleted_sites_host on deleted_sites (host);
