-- A count that is full stays full: what one site answered must not keep the others from being counted.
create or replace function add_counts(a int[], b int[]) returns int[] language sql immutable parallel safe as $$
  select coalesce(array_agg(least(coalesce(a[i], 0)::bigint + coalesce(b[i], 0), 2147483647)::int order by i), '{}')
  from generate_series(1, greatest(cardinality(a), cardinality(b))) as i
$$;
