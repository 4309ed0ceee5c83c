-- Where the other processes of the platform reach the host that a process has inside; both null where it has none.
alter table platform_processes add column host text, add column address text;
alter table platform_processes add check ((host is null) = (address is null));

-- Which host still has what a deleted site leaves, and what runs it there.
alter table deleted_sites add column host text not null default 'local', add column driver text not null default 'php-wasm';
