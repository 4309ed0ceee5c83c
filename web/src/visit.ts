/**
 * What is known of the visit that a page is drawn for: in a browser from the browser, on the server from the request (server.tsx). The server draws for
 * many people at once, so what differs between two visits is kept here and in no module.
 */
export interface Visit {
  origin: string;
  userAgent: string;
  clock: Clock;
  /** The team that the dashboard is about, as far as one was chosen. */
  chosenTeam: string | undefined;
  /** Somebody's session is known to the server, though perhaps not a good one. */
  hasSession: boolean;
  /** JSON by the address that it would be asked at. */
  answers: Map<string, unknown>;
  /** The place in the stream of events that none of the answers is older than. */
  eventsAfter: string | undefined;
  fetch: typeof fetch;
}

/** How whoever looks writes dates, and by which time. */
export interface Clock {
  locale: string;
  timeZone: string;
}

/** What of a visit is written into attributes of a page. Whoever takes over a page that is drawn changes none of them. */
export const drawnFor = ({ origin, clock, chosenTeam }: Visit): string =>
  [origin, clock.locale, clock.timeZone, chosenTeam].join(' ');

let inBrowser: Visit | undefined;
let find = (): Visit => {
  inBrowser ??= readBrowser();
  return inBrowser;
};

export const visit = (): Visit => find();

/** For whoever has more than one at a time. */
export function findVisitBy(way: () => Visit): void {
  find = way;
}

const isSecure = () => location.protocol === 'https:';
/** On https they are named as the platform's other cookies are (src/core/http/cookies.ts). */
const cookieOf = (name: string) => `${isSecure() ? '__Host-' : ''}${name}`;
const yearSeconds = 365 * 24 * 60 * 60;

/** Told to the server with the next page that is opened: it draws the page as it will be. */
export function rememberForServer(name: 'team' | 'clock', value: string): void {
  const attributes = `Path=/; Max-Age=${yearSeconds}; SameSite=Lax${isSecure() ? '; Secure' : ''}`;
  // biome-ignore lint/suspicious/noDocumentCookie: the other way to write one is asynchronous, and Safari has it not in every version that we serve.
  document.cookie = `${cookieOf(name)}=${value}; ${attributes}`;
}

/** So that the server writes moments as this page does. */
export function tellClock(): void {
  const { locale, timeZone } = visit().clock;
  const clock = `${locale}:${timeZone}`;
  if (rememberedForServer('clock') !== clock) rememberForServer('clock', clock);
}

function rememberedForServer(name: 'team' | 'clock'): string | undefined {
  const start = `${cookieOf(name)}=`;
  return document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

function readBrowser(): Visit {
  // What the server wrote into the page for whoever has a session here.
  const block = document.getElementById('first-answers');
  const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return {
    origin: location.origin,
    userAgent: navigator.userAgent,
    clock: { locale, timeZone },
    chosenTeam: rememberedForServer('team'),
    hasSession: block !== null,
    answers: new Map(Object.entries(JSON.parse(block?.textContent ?? '{}'))),
    eventsAfter: block?.dataset.eventsAfter,
    fetch: (...request) => fetch(...request),
  };
}
