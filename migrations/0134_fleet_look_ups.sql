-- Whoever asks for a site on a cluster looks up its processes by its host, and a fleet has as many hosts as pods that are awake.
create index platform_processes_host on platform_processes (host) where host is not null;
