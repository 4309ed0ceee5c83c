-- The plan that an operator gave without payment. A subscription takes precedence while it lives.
alter table teams add column granted_plan text check (granted_plan in ('micro', 'starter', 'business'));

-- The operators' own teams are not customers.
update teams set granted_plan = 'business', plan_type_name = 'business'
  from users where users.id = teams.user_id and users.is_superuser and teams.plan_type_name = 'free' and teams.sub_id is null;
