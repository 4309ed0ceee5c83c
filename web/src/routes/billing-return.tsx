import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Checkout } from '#sdk';
import { api } from '../api/client.ts';

import { Loaded } from '../layout/loaded.tsx';
import { buttonStyle } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { capitalise } from '../ui/format.ts';
import { CheckIcon, InfoIcon } from '../ui/icons.ts';
import { PageHeader } from '../ui/page.tsx';
import { Spinner } from '../ui/spinner.tsx';

/** How often somebody who waits for their payment looks whether it has arrived. */
const waitingMs = 1_500;

/** Each look has the platform ask the provider, so that it works where the provider can not reach the platform. */
const checkoutQuery = (checkout_id: string, { isCanceled }: { isCanceled: boolean }) =>
  queryOptions({
    queryKey: ['checkouts', checkout_id],
    queryFn: ({ signal }) => api.syncCheckout({ params: { checkout_id }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'open' && !isCanceled ? waitingMs : false),
    staleTime: 0,
  });

/** After the portal: asked once, for the answer is only where to go on. */
const portalReturnQuery = queryOptions({
  queryKey: ['portal-return'],
  queryFn: ({ signal }) => api.syncBilling({ signal }),
  gcTime: 0,
});

const route = getRouteApi('/app/billing/return');

export function BillingReturnPage() {
  const { checkout, canceled } = route.useSearch();
  return (
    <>
      <PageHeader title="Billing" />
      <Card>{checkout ? <FromCheckout id={checkout} isCanceled={canceled !== undefined} /> : <FromPortal />}</Card>
    </>
  );
}

function FromCheckout({ id, isCanceled }: { id: string; isCanceled: boolean }) {
  const query = useQuery(checkoutQuery(id, { isCanceled }));
  const queryClient = useQueryClient();
  const status = query.data?.status;
  useEffect(() => {
    // A new team is there, or an old one has more room.
    if (status === 'paid') void queryClient.invalidateQueries({ queryKey: ['teams'] });
  }, [status, queryClient]);
  return (
    <Loaded query={query} loading={<Waiting>Asking for your payment …</Waiting>}>
      {(checkout) => {
        if (checkout.status === 'paid') return <Paid checkout={checkout} />;
        if (checkout.status === 'closed' || isCanceled) return <NothingCharged checkout={checkout} />;
        return (
          <Waiting>
            Waiting for your payment to arrive. You can leave this page: the plan changes by itself as soon as it is
            known.
          </Waiting>
        );
      }}
    </Loaded>
  );
}

/** A failure leads on as well: the plan is read again by itself, and the team's page tells what is known of it. */
function FromPortal() {
  const { data, error } = useQuery(portalReturnQuery);
  const queryClient = useQueryClient();
  useEffect(() => {
    if (data) void queryClient.invalidateQueries({ queryKey: ['teams'] });
  }, [data, queryClient]);
  if (!data && !error) return <Waiting>Reading what changed …</Waiting>;
  const [teamId, ...others] = data?.team_ids ?? [];
  return teamId && others.length === 0 ? (
    <Navigate to="/teams/$teamId/$page" params={{ teamId, page: 'billing' }} replace />
  ) : (
    <Navigate to="/teams" replace />
  );
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="grid justify-items-center px-6 py-16 text-center">
      <Spinner className="mb-5 size-8 text-accent-text" />
      <p className="max-w-sm text-balance text-muted">{children}</p>
    </div>
  );
}

function Paid({ checkout }: { checkout: Checkout }) {
  return (
    <div role="status">
      <Empty
        icon={<CheckIcon />}
        title={`${checkout.team_name} is on the ${capitalise(checkout.plan_name)} plan`}
        action={checkout.team_id && <TeamLink id={checkout.team_id}>Go to the team</TeamLink>}
      >
        Thank you. Everything in the plan is yours from now on.
      </Empty>
    </div>
  );
}

function NothingCharged({ checkout }: { checkout: Checkout }) {
  return (
    <div role="status">
      <Empty
        icon={<InfoIcon />}
        title="Nothing was charged"
        action={
          checkout.team_id ? (
            <TeamLink id={checkout.team_id}>Back to the team</TeamLink>
          ) : (
            <Link to="/teams/new" className={buttonStyle({ variant: 'secondary' })}>
              Choose again
            </Link>
          )
        }
      >
        {checkout.team_id
          ? `You left the payment, so ${checkout.team_name} stays on its plan.`
          : `You left the payment, so ${checkout.team_name} was not made.`}
      </Empty>
    </div>
  );
}

function TeamLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link to="/teams/$teamId/$page" params={{ teamId: id, page: 'billing' }} className={buttonStyle()}>
      {children}
    </Link>
  );
}
