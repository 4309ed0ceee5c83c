import { useQueryClient } from '@tanstack/react-query';
import type { Team, TeamBilling } from '#sdk';
import { teamBillingQuery } from '../../api/billing-queries.ts';
import { api } from '../../api/client.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { formatAmount, formatPrice } from '../../ui/format.ts';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

/** The payment provider's own pages can change a plan but not add these, so they are bought here. */
export function AdditionalSites({ team, billing }: { team: Team; billing: TeamBilling }) {
  const queryClient = useQueryClient();
  const { additional_sites: has, additional_site_cents, currency, interval } = billing;
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
  return (
    <Section
      title="Additional sites"
      description={`Each costs ${price} besides the plan, from the day you add it to the day you take it back.`}
    >
      <Form key={has} submit={submit}>
        <div className="grid items-end gap-4 sm:grid-cols-3">
          <Field name="additional_sites" label="Number of additional sites" className="sm:col-span-2">
            <Input type="number" inputMode="numeric" min={0} max={1000} step={1} required defaultValue={has} />
          </Field>
          <SubmitButton variant="secondary">Change what you pay</SubmitButton>
        </div>
      </Form>
    </Section>
  );
}
