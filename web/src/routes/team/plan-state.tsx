import type { ReactNode } from 'react';
import type { TeamBilling } from '#sdk';
import { Alert } from '../../ui/alert.tsx';
import { formatPrice } from '../../ui/format.ts';
import { DateOnly } from '../../ui/time.tsx';

type PlanStateProps = { billing: TeamBilling; isOwner: boolean; action?: ReactNode };

/** How a plan goes on, in a sentence or two, with a way out beside what has to be done. */
export function PlanState({ billing, isOwner, action }: PlanStateProps) {
  const { state, price_cents, currency, interval, renews_at, ends_at, trial_ends_on, unpaid_since, expires_at } =
    billing;
  const isFree = billing.plan_name === 'free';
  const price = formatPrice(price_cents, currency, interval);
  const payer = isOwner ? 'Pay' : 'The owner can pay';
  const wayOut = isFree ? 'Choose a plan, or delete what is too much,' : `${payer} in the billing portal`;
  switch (state) {
    case 'active':
      return (
        <p className="text-muted">
          {renews_at ? (
            <>
              Renews on <DateOnly iso={renews_at} />.
            </>
          ) : (
            'Costs nothing, for as long as you like.'
          )}
        </p>
      );
    case 'trialing':
      return (
        <Alert>
          The trial ends on <Day iso={trial_ends_on} />. From then on it costs {price}.
        </Alert>
      );
    case 'canceled':
      return (
        <Alert tone="warn">
          Canceled: the plan ends on <Day iso={ends_at} />, and until then everything stays as it is. Then the team is
          on the Free plan.
        </Alert>
      );
    case 'past_due':
    case 'grace':
      return (
        <Alert tone="danger" action={action}>
          {isFree
            ? 'The paid plan has ended, and more is in use than the plan Free has room for.'
            : 'The last payment failed.'}{' '}
          {wayOut} by <Day iso={expires_at} />. Until then everything stays as it is; then the sites go to sleep.
          Nothing is deleted.
        </Alert>
      );
    case 'expired':
      return (
        <Alert tone="danger" action={action}>
          Nothing has been paid since <Day iso={unpaid_since} />, so the sites sleep. {wayOut} to have them back at
          once. Nothing has been deleted.
        </Alert>
      );
  }
}

function Day({ iso }: { iso: string | null }) {
  return iso && <DateOnly iso={iso} />;
}
