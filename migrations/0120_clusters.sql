-- Since when nobody asked anything of the host that a process has inside, and nothing of it waits to be sent; for pods that may be put to sleep.
alter table platform_processes add column idle_since timestamptz;

-- The cluster that the sites of a region are made on; where there is none they go to the host of the configuration.
alter table regions add column cluster text check (cluster ~ '^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$');
