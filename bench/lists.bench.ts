import { createClient } from '#sdk';
import { FEW, fill, MANY, settle } from './lists-data.ts';
import { median } from './load.ts';
import type { Report } from './report.ts';
import { startBench } from './servers.ts';

/** Every list of the dashboard, for a team with ten of everything and for one with very many, in turns against the same service. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40);
const PASSWORD = 'a password for the bench';
const LIMIT = 2;

export async function run(): Promise<Report> {
  const bench = await startBench();
  try {
    const { url } = await bench.startService({ RUNTIME: 'memory' });
    const few = await person(url, 'few');
    const many = await person(url, 'many');
    await fill(bench.databaseUrl, few.teamId, few.userId, FEW);
    await fill(bench.databaseUrl, many.teamId, many.userId, MANY);
    await settle(bench.databaseUrl);
    const rows: string[][] = [];
    let worst = 0;
    for (const [name, ask] of Object.entries(lists)) {
      const times: [number[], number[]] = [[], []];
      for (let round = -5; round < ROUNDS; round++)
        for (const [index, who] of [few, many].entries()) {
          const begun = performance.now();
          await ask(who);
          if (round >= 0) times[index as 0 | 1].push(performance.now() - begun);
        }
      const [a, b] = [median(times[0]), median(times[1])];
      worst = Math.max(worst, b / a);
      rows.push([name, `${a.toFixed(1)} ms`, `${b.toFixed(1)} ms`, (b / a).toFixed(2)]);
    }
    return {
      name: 'bench/lists',
      intro: `How long each list of the dashboard takes for a team with ${MANY.sites} sites, ${MANY.events} events and ${MANY.members} members, against one with 10 of each, in turns, as the median of ${ROUNDS}.`,
      tables: [{ head: ['list', 'with 10', 'with very many', 'ratio'], rows }],
      goals: [{ text: `every list takes at most ${LIMIT} times as long (${worst.toFixed(2)})`, met: worst <= LIMIT }],
    };
  } finally {
    await bench.stopAll();
  }
}

interface Person {
  api: ReturnType<typeof createClient>;
  teamId: string;
  userId: string;
}

const size = 25;
const lists: Record<string, (who: Person) => Promise<unknown>> = {
  'sites, newest': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10 } }),
  'sites, by name': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, sort: 'name' } }),
  'sites, most visits': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, sort: 'visits' } }),
  'sites, most storage': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, sort: 'storage' } }),
  'sites, by a title': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, search: 'number 7' } }),
  'sites, one label': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, label: 'client' } }),
  'sites, asleep': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, state: 'asleep' } }),
  'sites, outdated': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, state: 'outdated' } }),
  'sites, insecure': ({ api, teamId }) => api.listSites({ query: { team_id: teamId, size: 10, state: 'insecure' } }),
  'use of the sites, by visits': ({ api, teamId }) =>
    api.listSiteUse({ params: { team_id: teamId }, query: { size: 10, order_by: 'visits' } }),
  'use of the sites, by bandwidth': ({ api, teamId }) =>
    api.listSiteUse({ params: { team_id: teamId }, query: { size: 10, order_by: 'bandwidth' } }),
  'use of the sites, by storage': ({ api, teamId }) =>
    api.listSiteUse({ params: { team_id: teamId }, query: { size: 10, order_by: 'storage' } }),
  labels: ({ api, teamId }) => api.listSiteLabels({ params: { team_id: teamId } }),
  'needs attention': ({ api, teamId }) => api.getTeamAttention({ params: { team_id: teamId } }),
  'events of the team': ({ api, teamId }) => api.listTeamEvents({ params: { team_id: teamId }, query: { size: 10 } }),
  'all events': ({ api }) => api.listEvents({ query: { size: 10 } }),
  members: ({ api, teamId }) => api.listMembers({ params: { team_id: teamId }, query: { size: 10 } }),
  teams: ({ api }) => api.listTeams({ query: { size } }),
};

/** With a site of their own, which those that are only written down are copies of. */
async function person(url: string, name: string): Promise<Person> {
  const email = `${name}@bench.example`;
  const open = createClient({ baseUrl: url });
  const { id: userId } = await open.register({
    body: { email, password: PASSWORD, first_name: name, last_name: 'Bench' },
  });
  const { access_token } = await open.signIn({ body: { username: email, password: PASSWORD } });
  const api = createClient({ baseUrl: url, token: access_token });
  const teamId = (await api.listTeams({})).results[0]?.id ?? '';
  const admin = { cms_username: 'admin', cms_email: email, cms_first_name: 'A', cms_last_name: 'B' };
  const site = { fqdn: `${name}.localhost`, team_id: teamId, cms_blog_name: 'Bakery number 1', cms_password: PASSWORD };
  await api.createSite({ body: { ...site, ...admin }, wait: 60 });
  return { api, teamId, userId };
}
