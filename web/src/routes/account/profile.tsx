import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Region } from '#sdk';
import { api } from '../../api/client.ts';
import { placeOf, regionsQuery } from '../../api/regions.ts';
import { meQuery, useMe } from '../../api/session.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';

/** No region can have this name. */
const platformsFirst = '-';

export function Profile() {
  const me = useMe();
  const queryClient = useQueryClient();
  const { data: regions = [] } = useQuery(regionsQuery);
  const [region, setRegion] = useState(me.default_region ?? platformsFirst);
  async function submit({ first_name = '', last_name = '' }: Record<string, string>) {
    const default_region = region === platformsFirst ? null : region;
    queryClient.setQueryData(
      meQuery.queryKey,
      await api.updateMe({ body: { first_name, last_name, ...(regions.length > 1 && { default_region }) } }),
    );
    toast.success('Saved.');
  }
  return (
    <Section title="Profile">
      <Form submit={submit}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field name="first_name" label="First name">
            <Input autoComplete="given-name" defaultValue={me.first_name} required />
          </Field>
          <Field name="last_name" label="Last name">
            <Input autoComplete="family-name" defaultValue={me.last_name} required />
          </Field>
        </div>
        {regions.length > 1 && (
          <Field name="default_region" label="Default region" hint="Where your new sites go unless you choose another.">
            <Select options={regionOptions(regions)} value={region} onValueChange={setRegion} required />
          </Field>
        )}
        <div>
          <SubmitButton>Save changes</SubmitButton>
        </div>
      </Form>
    </Section>
  );
}

function regionOptions(regions: Region[]) {
  return [
    {
      value: platformsFirst,
      label: regions[0] ? `The platform's first (${placeOf(regions[0])})` : "The platform's first",
    },
    ...regions.map((region) => ({ value: region.name, label: placeOf(region) })),
  ];
}
