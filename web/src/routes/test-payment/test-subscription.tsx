import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Operations, TestPortal } from '#sdk';
import { api } from '../../api/client.ts';
import { type Interval, isInterval, type PlanName, plansQuery } from '../../api/plans.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../../ui/form.tsx';
import { capitalise, formatPrice } from '../../ui/format.ts';
import { formatDate } from '../../ui/format-time.ts';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { testPortalQuery } from './test-payment-queries.ts';

type Subscription = TestPortal['subscriptions'][number];
type Action = Omit<Operations['actInTestPortal']['input']['body'], 'subscription'>;
type Act = (action: Action, done: string) => Promise<void>;

export function TestSubscription({ portalId, subscription }: { portalId: string; subscription: Subscription }) {
  const queryClient = useQueryClient();
  async function act(action: Action, done: string) {
    const portal = await api.actInTestPortal({
      params: { session_id: portalId },
      body: { ...action, subscription: subscription.id },
    });
    queryClient.setQueryData(testPortalQuery(portalId).queryKey, portal);
    toast.success(done);
  }
  const isEnded = subscription.status === 'canceled';
  return (
    <Section
      title={subscription.team_name}
      description={describe(subscription)}
      action={<StatusBadge subscription={subscription} />}
    >
      {!isEnded && (
        <div className="grid gap-6">
          <PlanForm key={`${subscription.plan_name} ${subscription.interval}`} subscription={subscription} act={act} />
          <Actions subscription={subscription} act={act} />
        </div>
      )}
    </Section>
  );
}

function describe({ plan_name, amount_cents, currency, interval, ...subscription }: Subscription): string {
  const what = `${capitalise(plan_name)}, ${formatPrice(amount_cents, currency, interval)}`;
  const day = formatDate(subscription.current_period_end);
  if (subscription.status === 'canceled') return `${what}. It has ended.`;
  if (subscription.status === 'past_due') return `${what}. The last payment failed.`;
  return subscription.cancel_at_period_end ? `${what}. Ends on ${day}.` : `${what}. Renews on ${day}.`;
}

function StatusBadge({ subscription: { status, cancel_at_period_end } }: { subscription: Subscription }) {
  if (status === 'canceled') return <Badge>Ended</Badge>;
  if (status === 'past_due') return <Badge tone="danger">Payment failed</Badge>;
  return cancel_at_period_end ? <Badge tone="warn">Canceled</Badge> : <Badge tone="accent">Active</Badge>;
}

const intervals = [
  { value: 'month', label: 'Monthly' },
  { value: 'year', label: 'Yearly' },
];

type PartProps = { subscription: Subscription; act: Act };

function PlanForm({ subscription, act }: PartProps) {
  const paid = useQuery(plansQuery).data?.filter(({ name }) => name !== 'free') ?? [];
  const [plan, setPlan] = useState<PlanName>(subscription.plan_name);
  const [interval, setInterval] = useState<Interval>(subscription.interval);
  return (
    <Form
      submit={() =>
        act(
          { action: 'change_plan', plan_name: plan === 'free' ? undefined : plan, interval },
          `The plan is ${capitalise(plan)}.`,
        )
      }
    >
      <div className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <Field name="plan_name" label="Plan">
          <Select
            options={paid.map(({ name }) => ({ value: name, label: capitalise(name) }))}
            value={plan}
            onValueChange={(next) => setPlan(next as PlanName)}
          />
        </Field>
        <Field name="interval" label="Billed">
          <Select
            options={intervals}
            value={interval}
            onValueChange={(next) => isInterval(next) && setInterval(next)}
          />
        </Field>
        <SubmitButton variant="secondary">Change plan</SubmitButton>
      </div>
    </Form>
  );
}

function Actions({ subscription, act }: PartProps) {
  const [pending, setPending] = useState<Action['action']>();
  async function run(action: Action['action'], done: string) {
    setPending(action);
    try {
      await act({ action }, done);
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setPending(undefined);
    }
  }
  const button = (action: Action['action'], label: string, done: string) => (
    <Button variant="secondary" pending={pending === action} onClick={() => void run(action, done)}>
      {label}
    </Button>
  );
  return (
    <div className="flex flex-wrap gap-2 border-line border-t pt-5">
      {subscription.cancel_at_period_end
        ? button('resume', 'Resume the plan', 'The plan goes on.')
        : button('cancel', 'Cancel at the end of the period', 'The plan ends with its period.')}
      {subscription.status === 'past_due'
        ? button('pay', 'Pay what is owed', 'It is paid.')
        : button('fail_payment', 'Let a payment fail', 'A payment failed.')}
      <ConfirmAction
        trigger={
          <Button variant="danger" className="sm:ml-auto">
            End now
          </Button>
        }
        title={`End the plan of ${subscription.team_name} now?`}
        action="End the plan"
        onConfirm={() => act({ action: 'end_now' }, 'The plan has ended.')}
      >
        The team is on the Free plan at once. Its sites stay; nothing is deleted.
      </ConfirmAction>
    </div>
  );
}
