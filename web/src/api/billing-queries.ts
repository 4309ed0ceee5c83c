import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/** Counters move without an event, so what shows them looks again by itself. */
const refetchInterval = 30_000;
/** How often somebody who waits for their payment looks whether it has arrived. */
const waitingMs = 1_500;

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => api.listPlans({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Under the key of teams: whatever puts a team out of date does so to what it pays. */
export const teamBillingQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['teams', team_id, 'billing'],
    queryFn: ({ signal }) => api.getTeamBilling({ params: { team_id }, signal }),
    refetchInterval,
  });

/** Each look has the platform ask the provider, so that it works where the provider can not reach the platform. */
export const checkoutQuery = (checkout_id: string, { isCanceled }: { isCanceled: boolean }) =>
  queryOptions({
    queryKey: ['checkouts', checkout_id],
    queryFn: ({ signal }) => api.syncCheckout({ params: { checkout_id }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'open' && !isCanceled ? waitingMs : false),
    staleTime: 0,
  });

/** After the portal: asked once, for the answer is only where to go on. */
export const portalReturnQuery = queryOptions({
  queryKey: ['portal-return'],
  queryFn: ({ signal }) => api.syncBilling({ signal }),
  gcTime: 0,
});

export const testCheckoutQuery = (session_id: string) =>
  queryOptions({
    queryKey: ['test-checkouts', session_id],
    queryFn: ({ signal }) => api.getTestCheckout({ params: { session_id }, signal }),
  });

export const testPortalQuery = (session_id: string) =>
  queryOptions({
    queryKey: ['test-portals', session_id],
    queryFn: ({ signal }) => api.getTestPortal({ params: { session_id }, signal }),
  });
