-- A site whose backup took long is backed up beside the others, so that none of them waits for it.
alter table backup_clocks add column is_slow boolean not null default false;
