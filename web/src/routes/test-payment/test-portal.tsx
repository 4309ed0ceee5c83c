import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { TestPortal } from '#sdk';
import { Loaded } from '../../layout/loaded.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { CheckIcon, ChevronLeftIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { testPortalQuery } from './test-payment-queries.ts';
import { TestSubscription } from './test-subscription.tsx';

const route = getRouteApi('/test-payment/test-portal/$sessionId');

export function TestPortalPage() {
  const { sessionId } = route.useParams();
  const query = useQuery(testPortalQuery(sessionId));
  return (
    <>
      <PageHeader
        title="Test billing portal"
        description="Everything that you pay for, and the things that go wrong with payments, to try out."
        action={
          query.data && (
            <a href={query.data.return_url} className={buttonStyle({ variant: 'secondary' })}>
              <ChevronLeftIcon /> Back to Siteyard
            </a>
          )
        }
      />
      <Loaded query={query}>{(portal) => <Subscriptions portal={portal} />}</Loaded>
    </>
  );
}

function Subscriptions({ portal }: { portal: TestPortal }) {
  if (portal.subscriptions.length === 0)
    return (
      <Card>
        <Empty icon={<CheckIcon />} title="You have no subscription">
          A plan that you choose for a team appears here.
        </Empty>
      </Card>
    );
  // What can still be changed comes first.
  const sorted = portal.subscriptions.toSorted(
    (a, b) => Number(a.status === 'canceled') - Number(b.status === 'canceled'),
  );
  return (
    <div className="grid gap-6">
      {sorted.map((subscription) => (
        <TestSubscription key={subscription.id} portalId={portal.id} subscription={subscription} />
      ))}
    </div>
  );
}
