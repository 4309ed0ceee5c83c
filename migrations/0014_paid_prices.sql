-- What a team pays per interval, additional sites included, and what each of those costs: as it was bought, and not as it is offered now.
alter table teams
  add column price_cents bigint,
  add column additional_site_cents bigint;

-- No figure had changed until now, so everybody pays what was offered; the next reading says it exactly.
update teams set
  price_cents = (case plan_type_name when 'micro' then 900 when 'starter' then 2900 when 'business' then 9900 else 0 end
    + 300 * coalesce(additional_sites, 0)) * case interval when 'year' then 10 else 1 end,
  additional_site_cents = case when additional_sites > 0 then 300 * case interval when 'year' then 10 else 1 end end
where sub_id is not null;
update payment_customers set wanted_reading = nextval('payment_readings');
