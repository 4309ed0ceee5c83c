import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TestCheckout } from '#sdk';
import { api } from '../../api/client.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Button, buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { messageOf } from '../../ui/form.tsx';
import { capitalise, formatMoney, formatPrice } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page.tsx';
import { testCheckoutQuery } from './test-payment-queries.ts';

const route = getRouteApi('/test-payment/test-checkout/$sessionId');

export function TestCheckoutPage() {
  const { sessionId } = route.useParams();
  const query = useQuery(testCheckoutQuery(sessionId));
  return (
    <>
      <PageHeader title="Test checkout" description="It stands where the payment provider's own page would be." />
      <Loaded query={query}>
        {(checkout) => (
          <div className="grid items-start gap-6 md:grid-cols-2">
            <Order checkout={checkout} />
            <Card className="grid gap-3 p-5 sm:p-6">
              {checkout.status === 'open' ? <Payment checkout={checkout} /> : <Ended checkout={checkout} />}
            </Card>
          </div>
        )}
      </Loaded>
    </>
  );
}

function Order({ checkout }: { checkout: TestCheckout }) {
  const { amount_cents, currency, interval } = checkout;
  return (
    <section aria-labelledby="order" className="grid gap-5 py-2">
      <div>
        <h2 id="order" className="text-muted">
          Siteyard {capitalise(checkout.plan_name)}
        </h2>
        <p className="mt-1 font-semibold text-3xl tabular-nums tracking-tight">{formatMoney(amount_cents, currency)}</p>
      </div>
      <Definitions
        rows={[
          ['Team', checkout.team_name],
          ['Price', formatPrice(amount_cents, currency, interval)],
          ['Due today', formatMoney(amount_cents, currency)],
        ]}
      />
    </section>
  );
}

/** Card, decline and way back, as a person has them at any checkout. */
function Payment({ checkout }: { checkout: TestCheckout }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: (outcome: 'paid' | 'declined') =>
      api.endTestCheckout({ params: { session_id: checkout.id }, body: { outcome } }),
    onSuccess: (ended, outcome) => {
      if (outcome === 'declined') return queryClient.setQueryData(testCheckoutQuery(checkout.id).queryKey, ended);
      location.assign(ended.success_url);
    },
  });
  const amount = formatMoney(checkout.amount_cents, checkout.currency);
  return (
    <>
      <p className="text-muted">
        Choose how the payment shall end. Everything after it is as with real money, except for the money.
      </p>
      {end.error && <Alert tone="danger">{messageOf(end.error)}</Alert>}
      {end.isSuccess && end.variables === 'declined' && (
        <Alert tone="danger">The card was declined, and nothing was charged. Try again, or go back.</Alert>
      )}
      <Button
        size="lg"
        pending={end.isPending && end.variables === 'paid'}
        disabled={end.isPending}
        onClick={() => end.mutate('paid')}
      >
        Pay {amount} of test money
      </Button>
      <Button
        size="lg"
        variant="secondary"
        pending={end.isPending && end.variables === 'declined'}
        disabled={end.isPending}
        onClick={() => end.mutate('declined')}
      >
        Have the card declined
      </Button>
      <a href={checkout.cancel_url} className={buttonStyle({ size: 'lg', variant: 'ghost' })}>
        Go back without paying
      </a>
    </>
  );
}

function Ended({ checkout }: { checkout: TestCheckout }) {
  const isPaid = checkout.status === 'complete';
  return (
    <>
      <Alert tone={isPaid ? 'success' : 'warn'}>
        {isPaid ? 'This is paid already.' : 'This checkout has ended. Nothing was charged.'}
      </Alert>
      <a href={isPaid ? checkout.success_url : checkout.cancel_url} className={buttonStyle({ size: 'lg' })}>
        Back to Siteyard
      </a>
    </>
  );
}
