import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { useMe } from '../../api/session.ts';
import { textLink } from '../../layout/auth-layout.tsx';
import { ResendButton } from '../../layout/resend-button.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

export function Profile() {
  const me = useMe();
  const queryClient = useQueryClient();
  async function submit({ first_name = '', last_name = '' }: Record<string, string>) {
    queryClient.setQueryData(meQuery.queryKey, await api.updateMe({ body: { first_name, last_name } }));
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
        <div>
          <p className="font-medium">Email</p>
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <span className="text-muted">{me.email}</span>
            {me.is_verified ? (
              <Badge tone="accent">Confirmed</Badge>
            ) : (
              <>
                <Badge tone="warn">Not confirmed</Badge>
                <ResendButton className={textLink} />
              </>
            )}
          </div>
        </div>
        <div>
          <SubmitButton>Save changes</SubmitButton>
        </div>
      </Form>
    </Section>
  );
}
