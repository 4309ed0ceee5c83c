-- The host that a process has inside, and where the others reach it, while they can.
alter table platform_processes add column host text, add column address text,
  add check (address is null or host is not null);

-- Which host still has what a deleted site leaves, and what ran it there.
alter table deleted_sites add column host text not null default 'local', add column driver text not null default 'php-wasm';
alter table sites_to_remove add column host text not null default 'local', add column driver text not null default 'php-wasm';
create or replace function remove_ended_copy() returns trigger language plpgsql as $$
begin
  insert into sites_to_remove (site_id, host, driver, due_at) values (old.id, old.host, old.driver, now())
    on conflict (site_id) do update set due_at = excluded.due_at;
  delete from site_holds where site_id = old.id;
  return null;
end $$;

-- The defaults were for the rows of before; whoever adds one knows where it is.
alter table sites alter column host drop default, alter column driver drop default;
alter table deleted_sites alter column host drop default, alter column driver drop default;
alter table sites_to_remove alter column host drop default, alter column driver drop default;
