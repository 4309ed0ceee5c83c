-- An answer that is kept under an Idempotency-Key is shown again only to somebody who still has every role that they had when
-- it was given. Without a status it is no answer yet: something was sent elsewhere, and nobody has said how that ended.
alter table idempotent_answers
  add column roles jsonb not null default '{}',
  alter column status drop not null;

-- Once an analytics server is configured, every team and every person has an id that requests to it may name: a team its own,
-- a person their address, because that is what the server (Plausible) knows people by.
alter table platform add column has_analytics boolean not null default false;

create function give_analytics_id() returns trigger language plpgsql as $$
begin
  if exists (select from platform where has_analytics) then
    if tg_table_name = 'teams' then new.analytics_team_id := new.id;
    else new.analytics_user_id := new.email;
    end if;
  end if;
  return new;
end $$;
create trigger teams_analytics before insert on teams for each row execute function give_analytics_id();
create trigger users_analytics before insert or update of email on users for each row execute function give_analytics_id();

-- Called by each start with such a server. Done already, it changes nothing.
create function note_analytics() returns void language sql as $$
  update platform set has_analytics = true where not has_analytics;
  update teams set analytics_team_id = id where analytics_team_id is null;
  update users set analytics_user_id = email where analytics_user_id is null;
$$;
