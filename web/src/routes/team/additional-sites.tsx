import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team, TeamBilling } from '#sdk';
import { api } from '../../api/client.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { formatAmount, formatPrice } from '../../ui/format.ts';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';
import { teamBillingQuery } from './team-queries.ts';

const max = 1000;

/** The payment provider's own pages can change a plan but not add these, so they are bought here. */
export function AdditionalSites({ team, billing }: { team: Team; billing: TeamBilling }) {
  const queryClient = useQueryClient();
  const { additional_sites: has, additional_site_cents, price_cents, currency, interval } = billing;
  const [wanted, setWanted] = useState(String(has));
  async function submit(values: Record<string, string>) {
    const changed = await api.setAdditionalSites({
      params: { team_id: team.id },
      body: { additional_sites: Number(values.additional_sites) },
    });
    queryClient.setQueryData(teamBillingQuery(team.id).queryKey, changed);
    void queryClient.invalidateQueries({ queryKey: ['teams'] });
    toast.success(`The plan has ${formatAmount(changed.additional_sites, 'additional site')}.`);
  }
  const price = formatPrice(additional_site_cents, currency, interval);
  const difference = Number(wanted) - has;
  const priceThen = formatPrice(price_cents + difference * additional_site_cents, currency, interval);
  const isSensible = wanted !== '' && Number.isInteger(difference) && Number(wanted) >= 0 && Number(wanted) <= max;
  return (
    <Section
      title="Additional sites"
      description={`Each costs ${price} besides the plan, from the day you add it to the day you remove it.`}
    >
      <Form submit={submit}>
        <Field
          name="additional_sites"
          label="Number of additional sites"
          hint={isSensible && difference !== 0 && `The plan then costs ${priceThen}.`}
          className="max-w-xs"
        >
          <Input
            type="number"
            inputMode="numeric"
            min={0}
            max={max}
            step={1}
            required
            defaultValue={has}
            onValueChange={setWanted}
          />
        </Field>
        <SubmitButton variant="secondary" className="justify-self-start">
          Change what you pay
        </SubmitButton>
      </Form>
    </Section>
  );
}
