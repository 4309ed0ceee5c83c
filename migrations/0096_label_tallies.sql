-- How many sites of a team have each label, as event_tallies has it for events. Labels in an index of the sites were refused by Postgres where they were long (a
-- row of an index has 2,704 bytes, twenty labels up to 3,200), and counting them grew with the sites.
create table label_tallies (
  team_id uuid not null,
  label text not null,
  sites integer not null
);
create index label_tallies_of_team on label_tallies (team_id, label) include (sites);

create function tally_labels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.kind = 'live' then
    insert into label_tallies (team_id, label, sites) select old.team_id, unnest(old.labels), -1;
  end if;
  if tg_op <> 'DELETE' and new.kind = 'live' then
    insert into label_tallies (team_id, label, sites) select new.team_id, unnest(new.labels), 1;
  end if;
  return null;
end $$;
create trigger sites_labels_tallied_whole after insert or delete on sites for each row execute function tally_labels();
create trigger sites_labels_tallied after update of labels, team_id, kind on sites for each row
  when (old.labels <> new.labels or old.team_id <> new.team_id or old.kind <> new.kind) execute function tally_labels();

insert into label_tallies (team_id, label, sites)
  select team_id, label, count(*) from sites, unnest(labels) as label where kind = 'live' group by team_id, label;

drop index sites_labelled;
create index sites_labelled on sites (team_id) where kind = 'live' and labels <> '{}';
