import type { AheadAnswer } from '#core/http/answer-ahead.ts';
import type { FirstAnswers } from '#core/http/front-end.ts';
import type { Input } from '#core/http/invoke.ts';

/** Asks in the name of whoever asks for the page; throws what they would be refused with. */
export type Ask = (id: string, input?: Pick<Input, 'params' | 'query'>) => Promise<AheadAnswer | undefined>;

/** What takes longer the page asks for by itself. */
const WAIT_MS = 100;
/** Of all answers together. What does not fit the page asks for, too. */
const LIMIT_BYTES = 64 * 1024;

/** A site by its page; `/sites/new` is none. */
const SITE_PAGE = /^\/sites\/([a-z0-9.-]+\.[a-z0-9-]+)(\/[a-z-]+)?$/;

/** The site that an address of the dashboard is about, and whether it is its first page. */
export function siteIn(path: string): { fqdn: string; isOverview: boolean } | undefined {
  const [, fqdn, page] = SITE_PAGE.exec(path) ?? [];
  return fqdn === undefined ? undefined : { fqdn, isOverview: page === undefined };
}

export const pictureOf = (fqdn: string) => `/f/api/v1/site/${fqdn}/picture`;

/**
 * The answers to what a page of the dashboard asks for first, by address. What is refused, fails or takes long is left out: then the page asks, and
 * is told. `chosenTeam` is what the browser says, and counts where the person is in it.
 */
export async function firstAnswers(path: string, chosenTeam: string | undefined, ask: Ask): Promise<FirstAnswers> {
  const answers = new Map<string, string>();
  const pictures: string[] = [];
  let bytes = 0;
  let isOver = false;
  const take: Ask = async (id, input) => {
    // Nobody asks any more for whom it would be too late.
    const answer = isOver ? undefined : await ask(id, input).catch(() => undefined);
    if (!answer || isOver) return undefined;
    bytes += answer.json.length;
    if (bytes <= LIMIT_BYTES) answers.set(answer.address, answer.json);
    return answer;
  };
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  await Promise.race([askAll(path, chosenTeam, take, pictures), timeUp]);
  clearTimeout(timer);
  isOver = true;
  return { answers, pictures: [...pictures] };
}

async function askAll(path: string, chosenTeam: string | undefined, ask: Ask, pictures: string[]): Promise<void> {
  // Of whom nothing is known, nothing else is asked either.
  if (!(await ask('getMe'))) return;
  const site = siteIn(path);
  if (site) await ask('getSite', { params: { fqdn: site.fqdn } });
  if (path !== '/') return;
  const teams = await ask('listTeams', { query: { page: 1, size: 100 } });
  const team_id = currentTeam(resultsOf<TeamOf>(teams), chosenTeam);
  if (team_id === undefined) return;
  const askForSites = async () => {
    const sites = await ask('listSites', { query: { team_id, page: 1, size: 4 } });
    for (const { fqdn } of resultsOf<{ fqdn: string }>(sites)) pictures.push(pictureOf(fqdn));
  };
  await Promise.all([
    askForSites(),
    ask('getTeamAttention', { params: { team_id } }),
    ask('listTeamEvents', { params: { team_id }, query: { page: 1, size: 25 } }),
  ]);
}

interface TeamOf {
  id: string;
  role: string | null;
}

/** As the dashboard has it (web/src/api/current-team.ts). */
function currentTeam(teams: TeamOf[], chosen: string | undefined): string | undefined {
  return (teams.find(({ id }) => id === chosen) ?? teams.find(({ role }) => role === 'owner') ?? teams[0])?.id;
}

const resultsOf = <T>(answer: AheadAnswer | undefined): T[] =>
  (answer?.body as { results: T[] } | undefined)?.results ?? [];
