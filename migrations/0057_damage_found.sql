-- A site of whose restore points some were found damaged: first it is tried to mend them from what the site has, then its people are told.
alter table backup_clocks add column damage_found_at timestamptz(3);
create index backup_clocks_damage_found on backup_clocks (damage_found_at) where damage_found_at is not null;
