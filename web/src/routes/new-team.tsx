import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Plan } from '#sdk';
import { api } from '../api/client.ts';
import type { Interval, PlanName } from '../api/plans.ts';
import { plansQuery } from '../api/plans.ts';
import { BackLink } from '../layout/back-link.tsx';
import { Loaded } from '../layout/loaded.tsx';
import { IntervalSwitch, PlanChoice } from '../layout/plan-cards.tsx';
import { buttonStyle } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Field } from '../ui/field.tsx';
import { Form, SubmitButton } from '../ui/form.tsx';
import { Input } from '../ui/input.tsx';
import { PageHeader } from '../ui/page.tsx';

export function NewTeamPage() {
  const plans = useQuery(plansQuery);
  return (
    <>
      <PageHeader
        title="New team"
        description="For another group of people, or another bill."
        back={<BackLink to="/teams">Teams</BackLink>}
      />
      <Card className="p-5 sm:p-6">
        <Loaded query={plans}>{(all) => <NewTeamForm plans={all} />}</Loaded>
      </Card>
    </>
  );
}

function NewTeamForm({ plans }: { plans: Plan[] }) {
  // Registering made a free team for everybody, so most who come here want another plan.
  const [plan, setPlan] = useState<PlanName>(plans.find(({ name }) => name !== 'free')?.name ?? 'free');
  const [interval, setInterval] = useState<Interval>('month');

  async function submit({ new_team_name = '' }: Record<string, string>) {
    const { url } = await api.createCheckoutSession({ body: { new_team_name, plan_name: plan, interval } });
    location.assign(url);
  }

  return (
    <Form submit={submit}>
      <Field name="new_team_name" label="Name" className="max-w-md">
        <Input required autoFocus autoComplete="off" placeholder="Harbour Works" />
      </Field>
      <IntervalSwitch plans={plans} interval={interval} onChange={setInterval} />
      <PlanChoice plans={plans} interval={interval} value={plan} onChange={setPlan} />
      <div className="flex flex-wrap justify-end gap-2 border-line border-t pt-5">
        <Link to="/teams" className={buttonStyle({ variant: 'secondary' })}>
          Cancel
        </Link>
        <SubmitButton>{plan === 'free' ? 'Create team' : 'Continue to payment'}</SubmitButton>
      </div>
    </Form>
  );
}
