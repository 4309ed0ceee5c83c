import type { AheadAnswer } from '#core/http/answer-ahead.ts';
import type { FirstAnswers } from '#core/http/front-end.ts';
import type { Input } from '#core/http/invoke.ts';

/** Asks in the name of whoever asks for the page; throws what they would be refused with. */
export type Ask = (id: string, input?: Pick<Input, 'params' | 'query'>) => Promise<AheadAnswer | undefined>;

/** What takes longer the page asks for by itself. Its files are read meanwhile, and to ask anew would take a busy server longer. */
const WAIT_MS = 250;
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
 * The page follows events from before the answers (`placeOfEvents`), so that it need not ask anew for what may have changed meanwhile.
 */
export async function firstAnswers(
  path: string,
  chosenTeam: string | undefined,
  ask: Ask,
  placeOfEvents: () => Promise<string>,
): Promise<FirstAnswers> {
  const answers = new Map<string, string>();
  const pictures: string[] = [];
  let bytes = 0;
  let isOver = false;
  let eventsAfter: string | undefined;
  const take: Ask = async (id, input) => {
    // Nobody asks any more for whom it would be too late.
    const answer = isOver ? undefined : await ask(id, input).catch(() => undefined);
    if (!answer || isOver) return undefined;
    const size = Buffer.byteLength(answer.json);
    if (bytes + size > LIMIT_BYTES) return answer;
    bytes += size;
    answers.set(answer.address, answer.json);
    return answer;
  };
  const takeAll = async () => {
    // Nothing of what comes after is who is there.
    const [me, place] = await Promise.all([take('getMe'), placeOfEvents().catch(() => undefined)]);
    // Of whom nothing is known, nothing else is asked either.
    if (!me || isOver) return;
    eventsAfter = place;
    await askAll(path, me, chosenTeam, take, pictures);
  };
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  await Promise.race([takeAll(), timeUp]);
  clearTimeout(timer);
  isOver = true;
  return { answers, pictures: [...pictures], eventsAfter };
}

async function askAll(
  path: string,
  me: AheadAnswer,
  chosenTeam: string | undefined,
  ask: Ask,
  pictures: string[],
): Promise<void> {
  const site = siteIn(path);
  if (site) await ask('getSite', { params: { fqdn: site.fqdn } });
  if (path === '/') await askForHome(me, chosenTeam, ask, pictures);
}

async function askForHome(
  { caller }: AheadAnswer,
  chosen: string | undefined,
  ask: Ask,
  pictures: string[],
): Promise<void> {
  const askForSites = async (team_id: string) => {
    const sites = await ask('listSites', { query: { team_id, page: 1, size: 4 } });
    for (const { fqdn } of resultsOf<{ fqdn: string }>(sites)) pictures.push(pictureOf(fqdn));
  };
  const askForTeam = (team_id: string) =>
    Promise.all([
      askForSites(team_id),
      // Not shown to whoever sees some sites alone.
      ...(caller?.limitedTo.has(team_id)
        ? []
        : [
            ask('getTeamAttention', { params: { team_id } }),
            ask('listTeamEvents', { params: { team_id }, query: { page: 1, size: 25 } }),
          ]),
    ]);
  const askForTeams = () => ask('listTeams', { query: { page: 1, size: 100 } });
  // Whoever is in the team that they were in last need not wait for the list of their teams.
  if (chosen !== undefined && (caller?.roles.has(chosen) || caller?.limitedTo.has(chosen))) {
    await Promise.all([askForTeam(chosen), askForTeams()]);
    return;
  }
  const team = ownTeam(resultsOf<TeamOf>(await askForTeams()));
  if (team !== undefined) await askForTeam(team.id);
}

interface TeamOf {
  id: string;
  role: string | null;
}

/** As the dashboard has it (web/src/api/current-team.ts). */
const ownTeam = (teams: TeamOf[]): TeamOf | undefined => teams.find(({ role }) => role === 'owner') ?? teams[0];

const resultsOf = <T>(answer: AheadAnswer | undefined): T[] =>
  (answer?.body as { results: T[] } | undefined)?.results ?? [];
