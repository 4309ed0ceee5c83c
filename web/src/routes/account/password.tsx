import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { PasswordInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

export function Password() {
  const [round, setRound] = useState(0);
  async function submit({ current_password = '', new_password = '' }: Record<string, string>) {
    await api.updateMe({ body: { current_password, new_password } });
    setRound(round + 1);
    toast.success('Your password is changed.');
  }
  return (
    <Section title="Password">
      <Form key={round} submit={submit}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field name="current_password" label="Current password">
            <PasswordInput autoComplete="current-password" required />
          </Field>
          <Field name="new_password" label="New password">
            <PasswordInput autoComplete="new-password" minLength={8} required />
          </Field>
        </div>
        <div>
          <SubmitButton variant="secondary">Change password</SubmitButton>
        </div>
      </Form>
    </Section>
  );
}
