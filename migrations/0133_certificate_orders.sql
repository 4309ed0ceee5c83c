-- What was asked of certificate authorities for whom: they give out so much to the whole platform, and no team may use that up. A name that goes takes
-- its certificate along, and none of these.
create table certificate_orders (
  team_id uuid not null references teams on delete cascade,
  ordered_at timestamptz(3) not null default now()
);
create index certificate_orders_of_team on certificate_orders (team_id, ordered_at);
create index certificate_orders_by_age on certificate_orders (ordered_at);
