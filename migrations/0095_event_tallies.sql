-- How many events a team has, which every page of its list says: the sum of these lines. Whoever adds or removes events adds a line and changes
-- none, so that nobody waits for anybody; every hour a team's lines become one. A team that is gone has a sum of nothing, and then no line.
create table event_tallies (
  team_id uuid not null,
  events integer not null
);
create index event_tallies_of_team on event_tallies (team_id) include (events);

create function tally_events() returns trigger language plpgsql as $$
begin
  insert into event_tallies (team_id, events)
  select team_id, case when tg_op = 'INSERT' then count(*) else -count(*) end from touched where team_id is not null group by team_id;
  return null;
end $$;
-- They also lock the table, so that nothing is written between the first count and them.
create trigger events_tallied_more after insert on events
  referencing new table as touched for each statement execute function tally_events();
create trigger events_tallied_less after delete on events
  referencing old table as touched for each statement execute function tally_events();

insert into event_tallies (team_id, events) select team_id, count(*) from events where team_id is not null group by team_id;
