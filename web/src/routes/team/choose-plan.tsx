import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Plan, Team, TeamBilling } from '#sdk';
import { api } from '../../api/client.ts';
import type { Interval, PlanName } from '../../api/plans.ts';
import { plansQuery } from '../../api/plans.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { IntervalSwitch, PlanCards, PlanChoice } from '../../layout/plan-cards.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Section } from '../../ui/card.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { capitalise } from '../../ui/format.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ManageBillingButton } from './manage-billing.tsx';
import { describeCost } from './plan-cost.ts';

/** A free team buys its first plan here; whoever pays already changes theirs where they pay. */
export function ChoosePlan({ team, billing }: { team: Team; billing: TeamBilling }) {
  const plans = useQuery(plansQuery);
  const isFree = billing.plan_name === 'free';
  return (
    <Section
      title={isFree ? 'Choose a plan' : 'Plans'}
      description={isFree ? 'You can change or cancel it at any time.' : wayToChange(billing)}
    >
      <Loaded query={plans} loading={<Skeleton className="h-64 rounded-xl" />}>
        {(all) =>
          billing.provider === null ? (
            <NotForSale plans={all} current={billing.plan_name} />
          ) : isFree ? (
            <Choice plans={all} team={team} />
          ) : (
            <Comparison plans={all} billing={billing} />
          )
        }
      </Loaded>
    </Section>
  );
}

/** Stripe's portal changes no plan that something is bought besides. */
function wayToChange({ provider, additional_sites }: TeamBilling): string {
  return provider === 'stripe' && additional_sites > 0
    ? 'Set the additional sites to 0, then change to another one in the billing portal.'
    : 'Change to another one in the billing portal.';
}

function Choice({ plans, team }: { plans: Plan[]; team: Team }) {
  const [plan, setPlan] = useState<PlanName>(plans.find(({ name }) => name !== 'free')?.name ?? 'free');
  const [interval, setInterval] = useState<Interval>('month');
  async function submit() {
    const { url } = await api.createCheckoutSession({ body: { for_team_id: team.id, plan_name: plan, interval } });
    location.assign(url);
  }
  return (
    <Form submit={submit}>
      <IntervalSwitch plans={plans} interval={interval} onChange={setInterval} />
      <PlanChoice plans={plans} interval={interval} current="free" value={plan} onChange={setPlan} />
      <div className="flex justify-end">
        <SubmitButton className="max-sm:w-full">Continue with {capitalise(plan)}</SubmitButton>
      </div>
    </Form>
  );
}

function Comparison({ plans, billing }: { plans: Plan[]; billing: TeamBilling }) {
  const [interval, setInterval] = useState<Interval>(billing.interval ?? 'month');
  const [chosen, setChosen] = useState<PlanName>(billing.plan_name);
  const [from, to] = [billing.plan_name, chosen].map((name) => plans.find((plan) => plan.name === name));
  const isSame = chosen === billing.plan_name && interval === (billing.interval ?? 'month');
  return (
    <div className="grid gap-5">
      <IntervalSwitch plans={plans} interval={interval} onChange={setInterval} />
      <PlanChoice plans={plans} interval={interval} current={billing.plan_name} value={chosen} onChange={setChosen} />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        {/* As tall with the sentence as without, so that nothing moves under the pointer. */}
        <p aria-live="polite" className="min-h-10 min-w-0 flex-1 basis-72 text-muted">
          {isSame || !from || !to
            ? 'Choose another plan to see what it costs.'
            : `${describeCost(from, to, interval, billing)} The billing portal shows the exact amount before you confirm.`}
        </p>
        <ManageBillingButton>Change in the billing portal</ManageBillingButton>
      </div>
    </div>
  );
}

function NotForSale({ plans, current }: { plans: Plan[]; current: PlanName }) {
  return (
    <div className="grid gap-5">
      <Alert>This platform has no payment provider. Ask its operator for another plan.</Alert>
      <PlanCards plans={plans} interval="month" current={current} />
    </div>
  );
}
