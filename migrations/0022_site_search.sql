-- Finding sites by a part of their name. Where the extension is not to be had (a database of the operator's own, without contrib
-- or without the right), a search reads the caller's sites one by one.
do $$
begin
  create extension if not exists pg_trgm;
  create index sites_by_part_of_name on sites using gin (fqdn gin_trgm_ops);
exception when insufficient_privilege or undefined_file or undefined_object or feature_not_supported then
  raise notice 'no pg_trgm, so that searches for sites have no index: %', sqlerrm;
end $$;
