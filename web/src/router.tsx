import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { forgetFirstAnswers } from './api/first-answers.ts';
import { askForHome, askForOverview, askForSite, askWhoIsThere, soon } from './api/first-questions.ts';
import { isServers, meQuery, safeNext } from './api/session.ts';
import { AuthLayout } from './layout/auth-layout.tsx';
import { whenOnline } from './layout/lazy-view.ts';
import { CrashPage, NotFound, NotFoundPage } from './layout/problem-pages.tsx';
import { siteLink } from './layout/site-link.ts';
import { preloadView } from './routes/site/site-views.ts';
import { type SiteList, siteListOf } from './routes/sites/sites-query.ts';
import { visit } from './visit.ts';

type Context = { queryClient: QueryClient };
type Search = Record<string, string | undefined>;

const pageOf = (search: Search) => ({ page: Math.max(1, Math.floor(Number(search.page)) || 1) });
const optionalPage = (search: Search) => {
  const { page } = pageOf(search);
  return page > 1 ? { page } : ({} as { page?: number });
};

/** Whether somebody is at the live site or at its stage. */
type Environment = { env?: 'staging' };
type SiteSearch = Environment & { tab?: string };
/** The minute to begin with, and whether somebody comes to restore it. */
type TimeSearch = Environment & { at?: string; restore?: true };
const environmentOf = (search: Search): Environment => (search.env === 'staging' ? { env: 'staging' } : {});

const isStaging = (search: Environment) => search.env === 'staging';

const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => whenOnline(load), name);

const root = createRootRouteWithContext<Context>()({ notFoundComponent: NotFoundPage, errorComponent: CrashPage });

/** Everything that needs a signed-in user. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: lazyPage(() => import('./layout/app-layout.tsx'), 'AppLayout'),
  beforeLoad: onlySignedIn,
});

async function onlySignedIn({ context, location }: { context: Context; location: { pathname: string; href: string } }) {
  const me = await context.queryClient.ensureQueryData(meQuery);
  if (!me) throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { next: location.href } });
}

/** The pages before one is signed in, and those that mailed links lead to. */
const auth = createRoute({ getParentRoute: () => root, id: 'auth', component: AuthLayout });

async function onlySignedOut({ context, search }: { context: Context; search: { next?: string } }) {
  if (!(await context.queryClient.ensureQueryData(meQuery))) return;
  const href = safeNext(search.next);
  throw redirect({ href, reloadDocument: isServers(href) });
}

const signIn = createRoute({
  getParentRoute: () => auth,
  path: '/sign-in',
  validateSearch: (search: Search): { next?: string; email?: string } => ({ next: search.next, email: search.email }),
  beforeLoad: onlySignedOut,
  component: lazyPage(() => import('./routes/sign-in.tsx'), 'SignInPage'),
});
const register = createRoute({
  getParentRoute: () => auth,
  path: '/register',
  validateSearch: (search: Search): { next?: string; email?: string } => ({ next: search.next, email: search.email }),
  beforeLoad: onlySignedOut,
  component: lazyPage(() => import('./routes/register.tsx'), 'RegisterPage'),
});
const tokenOf = (search: Search): { token?: string } => ({ token: search.token });
const verify = createRoute({
  getParentRoute: () => auth,
  path: '/verify',
  validateSearch: tokenOf,
  component: lazyPage(() => import('./routes/verify.tsx'), 'VerifyPage'),
});
const reset = createRoute({
  getParentRoute: () => auth,
  path: '/reset',
  validateSearch: (search: Search): { token?: string; unconfirmed?: string } => ({
    ...tokenOf(search),
    ...(search.unconfirmed && { unconfirmed: search.unconfirmed }),
  }),
  component: lazyPage(() => import('./routes/reset.tsx'), 'ResetPage'),
});
const invite = createRoute({
  getParentRoute: () => auth,
  path: '/invite',
  validateSearch: tokenOf,
  component: lazyPage(() => import('./routes/invite.tsx'), 'InvitePage'),
});
/** Where a new address is confirmed, and where the one before is taken back. */
const email = createRoute({
  getParentRoute: () => auth,
  path: '/email',
  validateSearch: tokenOf,
  beforeLoad: onlySignedIn,
  component: lazyPage(() => import('./routes/email.tsx'), 'ConfirmEmailPage'),
});
const emailBack = createRoute({
  getParentRoute: () => auth,
  path: '/email/back',
  validateSearch: tokenOf,
  component: lazyPage(() => import('./routes/email.tsx'), 'EmailBackPage'),
});
const unsubscribe = createRoute({
  getParentRoute: () => auth,
  path: '/unsubscribe',
  validateSearch: (search: Search): { token?: string; kind?: string } => ({ ...tokenOf(search), kind: search.kind }),
  component: lazyPage(() => import('./routes/unsubscribe.tsx'), 'UnsubscribePage'),
});
/** Where a program that signs in by a code is let in. */
const device = createRoute({
  getParentRoute: () => auth,
  path: '/device',
  beforeLoad: onlySignedIn,
  component: lazyPage(() => import('./routes/device.tsx'), 'DevicePage'),
});
/** Where the site as it was at some minute is opened; it looks like the pages that mailed links lead to. */
const preview = createRoute({
  getParentRoute: () => auth,
  path: '/preview/$previewId',
  beforeLoad: onlySignedIn,
  component: lazyPage(() => import('./routes/preview.tsx'), 'PreviewPage'),
});

/** What OAuth names in the request; the server says what is wrong with it. */
const AUTHORIZATION = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
] as const;
const authorize = createRoute({
  getParentRoute: () => auth,
  path: '/authorize',
  validateSearch: (search: Search): Partial<Record<(typeof AUTHORIZATION)[number], string>> =>
    Object.fromEntries(AUTHORIZATION.map((name) => [name, search[name]])),
  beforeLoad: onlySignedIn,
  component: lazyPage(() => import('./routes/authorize.tsx'), 'AuthorizePage'),
});

/** The pages of the built-in payment provider, which stand where Stripe's own would. */
const testPayment = createRoute({
  getParentRoute: () => root,
  id: 'test-payment',
  component: lazyPage(() => import('./layout/test-payment-layout.tsx'), 'TestPaymentLayout'),
  beforeLoad: onlySignedIn,
});
const testCheckout = createRoute({
  getParentRoute: () => testPayment,
  path: '/test-checkout/$sessionId',
  component: lazyPage(() => import('./routes/test-payment/test-checkout.tsx'), 'TestCheckoutPage'),
});
const testPortal = createRoute({
  getParentRoute: () => testPayment,
  path: '/test-portal/$sessionId',
  component: lazyPage(() => import('./routes/test-payment/test-portal.tsx'), 'TestPortalPage'),
});

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  staticData: { ask: askForHome },
  loader: ({ context }) => soon(askForHome(context.queryClient)),
  component: lazyPage(() => import('./routes/home/home.tsx'), 'HomePage'),
});
/** The contract's own address of the front end. */
const frontEnd = createRoute({
  getParentRoute: () => root,
  path: '/f/api/v1/fastapi',
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true });
  },
});
const sites = createRoute({
  getParentRoute: () => app,
  path: '/sites',
  validateSearch: (search: Search): { page?: number; team?: string } & SiteList => ({
    ...optionalPage(search),
    ...siteListOf(search),
    ...(search.team && { team: search.team }),
  }),
  component: lazyPage(() => import('./routes/sites/sites.tsx'), 'SitesPage'),
});
const newSite = createRoute({
  getParentRoute: () => app,
  path: '/sites/new',
  validateSearch: (search: Search): { team?: string } => (search.team ? { team: search.team } : {}),
  component: lazyPage(() => import('./routes/sites/new-site.tsx'), 'NewSitePage'),
});
const templates = createRoute({
  getParentRoute: () => app,
  path: '/templates',
  component: lazyPage(() => import('./routes/templates/templates.tsx'), 'TemplatesPage'),
});
/** The pages of a site were tabs once, and some had other names: where `?tab=` led to. */
const formerTabs: Record<string, string> = {
  overview: '',
  log: 'logs',
  domain: 'domains',
  access: 'security',
  edge: 'cache',
  paths: 'routing',
};
const site = createRoute({
  getParentRoute: () => app,
  path: '/sites/$fqdn',
  validateSearch: (search: Search): SiteSearch => ({
    ...environmentOf(search),
    ...(search.tab && { tab: search.tab }),
  }),
  // The stage was a tab too.
  beforeLoad: ({ params: { fqdn }, search: { tab, env } }) => {
    if (!tab) return;
    const to = tab === 'stage' ? siteLink(fqdn, '', true) : siteLink(fqdn, formerTabs[tab] ?? tab, env === 'staging');
    throw redirect({ ...to, replace: true });
  },
  staticData: { ask: (queryClient, { fqdn = '' }) => askForOverview(queryClient, fqdn, preloadView('', false)) },
  loader: ({ context, params: { fqdn }, location }) =>
    soon(askForOverview(context.queryClient, fqdn, preloadView('', isStaging(location.search)))),
  component: lazyPage(() => import('./routes/site/site.tsx'), 'SitePage'),
});
const sitePage = createRoute({
  getParentRoute: () => app,
  path: '/sites/$fqdn/$page',
  validateSearch: environmentOf,
  beforeLoad: ({ params: { fqdn, page } }) => {
    if (page === 'staging') throw redirect({ ...siteLink(fqdn, '', true), replace: true });
  },
  staticData: { ask: (queryClient, { fqdn = '' }) => askForSite(queryClient, fqdn) },
  loader: ({ params: { page }, location }) => soon(preloadView(page, isStaging(location.search))),
  component: lazyPage(() => import('./routes/site/site.tsx'), 'SitePage'),
});
const time = createRoute({
  getParentRoute: () => app,
  path: '/sites/$fqdn/time',
  validateSearch: (search: Search): TimeSearch => ({
    ...environmentOf(search),
    ...(search.at && { at: search.at }),
    ...(search.restore && { restore: true }),
  }),
  staticData: { ask: (queryClient, { fqdn = '' }) => askForSite(queryClient, fqdn) },
  component: lazyPage(() => import('./routes/time/time.tsx'), 'TimePage'),
});
const teams = createRoute({
  getParentRoute: () => app,
  path: '/teams',
  validateSearch: optionalPage,
  component: lazyPage(() => import('./routes/teams.tsx'), 'TeamsPage'),
});
const team = createRoute({
  getParentRoute: () => app,
  path: '/teams/$teamId',
  validateSearch: (search: Search): { tab?: string } => (search.tab ? { tab: search.tab } : {}),
  // Its pages were tabs once.
  beforeLoad: ({ params: { teamId }, search: { tab } }) => {
    if (!tab) return;
    if (tab === 'overview') throw redirect({ to: '/teams/$teamId', params: { teamId }, search: {}, replace: true });
    const page = { plan: 'billing', invites: 'members' }[tab] ?? tab;
    throw redirect({ to: '/teams/$teamId/$page', params: { teamId, page }, replace: true });
  },
  component: lazyPage(() => import('./routes/team/team.tsx'), 'TeamPage'),
});
const teamPage = createRoute({
  getParentRoute: () => app,
  path: '/teams/$teamId/$page',
  component: lazyPage(() => import('./routes/team/team.tsx'), 'TeamPage'),
});
const developers = createRoute({
  getParentRoute: () => app,
  path: '/developers/$page',
  component: lazyPage(() => import('./routes/developers/developers.tsx'), 'DevelopersPage'),
});
const webhook = createRoute({
  getParentRoute: () => app,
  path: '/teams/$teamId/webhooks/$webhookId',
  component: lazyPage(() => import('./routes/team/webhook/webhook.tsx'), 'WebhookPage'),
});
const newTeam = createRoute({
  getParentRoute: () => app,
  path: '/teams/new',
  component: lazyPage(() => import('./routes/new-team.tsx'), 'NewTeamPage'),
});
/** Where the payment provider sends people back to, from its checkout and from its portal. */
const billingReturn = createRoute({
  getParentRoute: () => app,
  path: '/billing/return',
  validateSearch: (search: Search): { checkout?: string; canceled?: string } => ({
    checkout: search.checkout,
    canceled: search.canceled,
  }),
  component: lazyPage(() => import('./routes/billing-return.tsx'), 'BillingReturnPage'),
});
const tickets = createRoute({
  getParentRoute: () => app,
  path: '/tickets',
  component: lazyPage(() => import('./routes/tickets/tickets.tsx'), 'TicketsPage'),
});
const ticket = createRoute({
  getParentRoute: () => app,
  path: '/tickets/$ticketId',
  component: lazyPage(() => import('./routes/tickets/ticket.tsx'), 'TicketPage'),
});
const activity = createRoute({
  getParentRoute: () => app,
  path: '/activity',
  component: lazyPage(() => import('./routes/activity.tsx'), 'ActivityPage'),
});
const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  validateSearch: (search: Search): { tab?: string } => (search.tab ? { tab: search.tab } : {}),
  component: lazyPage(() => import('./routes/account/account.tsx'), 'AccountPage'),
});

const proposal = createRoute({
  getParentRoute: () => app,
  path: '/proposals/$proposalId',
  component: lazyPage(() => import('./routes/proposal.tsx'), 'ProposalPage'),
});

/** With the side bar around it, so that one finds on. */
const nowhere = createRoute({ getParentRoute: () => app, path: '$', component: NotFound });

const operator = createRoute({
  getParentRoute: () => app,
  path: '/operator',
  validateSearch: (search: Search): { tab?: string } => ({ tab: search.tab }),
  component: lazyPage(() => import('./routes/operator/operator.tsx'), 'OperatorPage'),
});
const operatorTicket = createRoute({
  getParentRoute: () => app,
  path: '/operator/tickets/$ticketId',
  component: lazyPage(() => import('./routes/operator/answer-ticket.tsx'), 'AnswerTicketPage'),
});

const operatorPerson = createRoute({
  getParentRoute: () => app,
  path: '/operator/people/$userId',
  component: lazyPage(() => import('./routes/operator/person.tsx'), 'OperatorPersonPage'),
});
const operatorTeam = createRoute({
  getParentRoute: () => app,
  path: '/operator/teams/$teamId',
  component: lazyPage(() => import('./routes/operator/team-detail.tsx'), 'OperatorTeamPage'),
});
const operatorSite = createRoute({
  getParentRoute: () => app,
  path: '/operator/sites/$siteId',
  component: lazyPage(() => import('./routes/operator/site-detail.tsx'), 'OperatorSitePage'),
});

const tree = root.addChildren([
  frontEnd,
  auth.addChildren([
    signIn,
    register,
    verify,
    reset,
    invite,
    email,
    emailBack,
    unsubscribe,
    device,
    preview,
    authorize,
  ]),
  testPayment.addChildren([testCheckout, testPortal]),
  app.addChildren([
    home,
    sites,
    newSite,
    templates,
    site,
    sitePage,
    time,
    teams,
    newTeam,
    team,
    teamPage,
    webhook,
    developers,
    billingReturn,
    tickets,
    ticket,
    activity,
    account,
    proposal,
    operator,
    operatorTicket,
    operatorPerson,
    operatorTeam,
    operatorSite,
    nowhere,
  ]),
]);

/** `history` is where somebody is who is in no browser. */
export function createAppRouter(queryClient: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree: tree,
    history,
    context: { queryClient },
    defaultPreload: 'intent',
    // Where it draws no page for a browser, the router would do it with a script in the page.
    scrollRestoration: history === undefined,
    // Plain strings both ways: the default reads JSON, and would turn a token that looks like a number into one.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const pairs = Object.entries(search).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, String(value)]],
      );
      const text = new URLSearchParams(pairs).toString();
      return text && `?${text}`;
    },
  });
}

/**
 * Before anybody knows who is signed in: the files of the page that the address names, and what it will ask for. The router itself would begin
 * with them after that answer. Ends when all of it is there or has failed.
 */
export async function beginEarly(router: ReturnType<typeof createAppRouter>): Promise<void> {
  const { queryClient } = router.options.context;
  const { hasSession } = visit();
  const asked = hasSession ? [askWhoIsThere(queryClient)] : [];
  const files: (Promise<void> | undefined)[] = [];
  const matches: { routeId: keyof typeof router.routesById; params: { fqdn?: string } }[] = router.matchRoutes(
    router.latestLocation,
  );
  for (const { routeId, params } of matches) {
    const { component, staticData } = router.routesById[routeId].options;
    files.push((component as { preload?: () => Promise<void> } | undefined)?.preload?.().catch(() => {}));
    if (hasSession && staticData?.ask) asked.push(staticData.ask(queryClient, params));
  }
  await Promise.all(asked);
  forgetFirstAnswers();
  await Promise.all(files);
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What a page shows first, asked for at once. */
    ask?: (queryClient: QueryClient, params: { fqdn?: string }) => Promise<void>;
  }
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
