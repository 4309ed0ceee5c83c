-- How sites answer, by the hour: how many answers failed, and how long pages took, as counts by doubling milliseconds. A process of before
-- writes neither.
alter table site_usage
  add column errors bigint not null default 0,
  add column durations int[] not null default '{}';

-- Adds counts place by place; the shorter list has zeros at its end.
create function add_counts(a int[], b int[]) returns int[] language sql immutable parallel safe as $$
  select coalesce(array_agg(coalesce(a[i], 0) + coalesce(b[i], 0) order by i), '{}')
  from generate_series(1, greatest(cardinality(a), cardinality(b))) as i
$$;
create aggregate sum_counts(int[]) (sfunc = add_counts, stype = int[], initcond = '{}');

-- Since when every page of a site that a visitor asked for failed, and how many in a row; null: the last one did not.
alter table sites add column failing_since timestamptz(3), add column failed_answers int;
