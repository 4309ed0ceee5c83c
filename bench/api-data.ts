import pg from 'pg';

/** 100 teams and 100,000 events, of which one team has 60,000; the caller is a member of every team. */
export const TEAMS = 100;
export const EVENTS = 100_000;
export const EVENTS_OF_LARGEST = 60_000;

export interface Seeded {
  largestTeamId: string;
}

export async function seed(databaseUrl: string, callerId: string): Promise<Seeded> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into users (email, password_hash, first_name, last_name)
       select 'person' || n || '@bench.example', 'nobody signs in with this', 'Person', 'Number ' || n from generate_series(1, $1) n`,
      [TEAMS],
    );
    await client.query(`
      insert into teams (user_id, name, tenant_id, plan_type_name, cycle_start, cycle_end, current_cycle_visits, storage_usage, created_at)
      select id, 'Team of ' || last_name, 'bench' || row_number() over (), 'starter', now(), now() + interval '1 month', 1234, 5678901,
        now() - row_number() over () * interval '1 hour'
      from users where email like '%@bench.example'`);
    await client.query(`
      insert into team_members (team_id, user_id, role) select id, user_id, 'owner' from teams where tenant_id like 'bench%'`);
    await client.query(
      `insert into team_members (team_id, user_id, role) select id, $1, 'member' from teams where tenant_id like 'bench%'`,
      [callerId],
    );
    await client.query(
      `with numbered as (select id, user_id, row_number() over (order by tenant_id) - 1 as n from teams where tenant_id like 'bench%')
       insert into events (team_id, user_id, scope, event_type, activity, description, detail, item_id, fqdn, created_at, finished_at)
       select t.id, case when e % 3 = 0 then $4::uuid else t.user_id end, 'team', 'team.updated', 'Person Number ' || e || ' changed the team''s name',
         case when e % 4 = 0 then 'A description of what happened, as long as people write them' end,
         jsonb_build_object('changed', jsonb_build_object('name', 'Name ' || e)), gen_random_uuid(),
         case when e % 2 = 0 then 'site' || e % 20 || '.example.com' end, now() - e * interval '7 seconds', now()
       from generate_series(1, $1::int) e
       join numbered t on t.n = case when e <= $2::int then 0 else 1 + e % ($3::int - 1) end`,
      [EVENTS, EVENTS_OF_LARGEST, TEAMS, callerId],
    );
    await client.query('vacuum analyze');
    const { rows } = await client.query('select team_id from events group by team_id order by count(*) desc limit 1');
    return { largestTeamId: rows[0].team_id };
  } finally {
    await client.end();
  }
}
