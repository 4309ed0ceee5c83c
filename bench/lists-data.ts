import pg from 'pg';

/** What a team has. */
export interface Amounts {
  sites: number;
  events: number;
  members: number;
}

export const FEW: Amounts = { sites: 10, events: 10, members: 10 };
export const MANY: Amounts = { sites: 10_000, events: Number(process.env.BENCH_EVENTS ?? 1_000_000), members: 500 };

/** Fills a team, and the usage of its sites in the last fortnight. */
export async function fill(databaseUrl: string, teamId: string, ownerId: string, amounts: Amounts): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const tag = teamId.slice(0, 8);
  try {
    await client.query(
      `with people as (
         insert into users (email, password_hash, first_name, last_name)
         select 'p' || n || '-' || $2 || '@bench.example', 'nobody signs in with this', 'Person', 'Number ' || n
         from generate_series(2, $3::int) n returning id)
       insert into team_members (team_id, user_id, role) select $1, id, 'member' from people`,
      [teamId, tag, amounts.members],
    );
    await client.query(
      `insert into sites (host, driver, team_id, user_id, fqdn, title, labels, region_id, domain_option, is_testing, is_sleeping,
         http_auth_password_sealed, code_server_password_sealed, core_version, php_version, current_cycle_visits, current_cycle_bandwidth, storage_bytes, created_at)
       select o.host, o.driver, $1, $2, 'site' || n || '-' || $3 || '.localhost', 'Bakery number ' || n, case when n % 7 = 0 then '{client}'::text[] else '{}' end,
         (select min(id) from regions), 'platform', true, n % 3 > 0, o.http_auth_password_sealed, o.code_server_password_sealed, '7.1.1', '8.3',
         (n * 7919) % 5000, (n * 15485863::bigint) % 90000000000, (n * 104729) % 900000000, now() - n * interval '1 minute'
       from generate_series(2, $4::int) n, (select * from sites where team_id = $1 limit 1) o`,
      [teamId, ownerId, tag, amounts.sites],
    );
    // A third of the sites has something to update, every ninth a release that mends what is unsafe.
    await client.query(
      `insert into site_software (site_id, updates_waiting, security_update)
       select id, 2, case when substring(fqdn from '[0-9]+')::int % 9 = 0 then '7.1.2' end from sites
       where team_id = $1 and fqdn ~ '^site[0-9]+' and substring(fqdn from '[0-9]+')::int % 3 = 0`,
      [teamId],
    );
    await client.query(
      `insert into site_usage (site_id, hour, visits)
       select id, date_trunc('hour', now()) - h * interval '12 hours', h * 3 from sites, generate_series(0, 27) h where team_id = $1
       on conflict do nothing`,
      [teamId],
    );
    await client.query(
      `insert into events (team_id, user_id, scope, event_type, activity, detail, item_id, fqdn, created_at, finished_at)
       select $1, $2, 'team', 'team.updated', 'Person Number ' || e || ' changed the name of the team', '{}', gen_random_uuid(),
         null, now() - e * interval '7 seconds', now() from generate_series(1, $3::int) e`,
      [teamId, ownerId, amounts.events],
    );
  } finally {
    await client.end();
  }
}

export async function settle(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}
