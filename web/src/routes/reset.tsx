import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SecondStep } from '#sdk';
import { api } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { SecondStepCard } from '../layout/second-step.tsx';
import { Field } from '../ui/field.tsx';
import { Form, SubmitButton } from '../ui/form.tsx';
import { Input, PasswordInput } from '../ui/input.tsx';
import { RadioGroup } from '../ui/radio.tsx';
import { toast } from '../ui/toast.tsx';

const route = getRouteApi('/auth/reset');

export function ResetPage() {
  const { token, unconfirmed } = route.useSearch();
  return token ? <SetPassword token={token} asks={unconfirmed !== undefined} /> : <AskForLink />;
}

function AskForLink() {
  const [sentTo, setSentTo] = useState<string>();
  const back = (
    <Link to="/sign-in" className={textLink}>
      Back to sign in
    </Link>
  );
  if (sentTo) {
    return (
      <AuthCard
        title="Check your inbox"
        description={
          <span role="status">
            If there is an account for <strong className="font-medium text-fg">{sentTo}</strong>, a link to set a new
            password is on its way.
          </span>
        }
        footer={back}
      />
    );
  }
  return (
    <AuthCard title="Reset your password" description="We email you a link to set a new one." footer={back}>
      <Form
        submit={async ({ email = '' }) => {
          await api.resetPassword({ body: { email } });
          setSentTo(email);
        }}
      >
        <Field name="email" label="Email">
          <Input type="email" autoComplete="username" required autoFocus />
        </Field>
        <SubmitButton size="lg">Send the link</SubmitButton>
      </Form>
    </AuthCard>
  );
}

const contents = [
  { value: 'keep', label: 'Yes, I made it', hint: 'Everything in it stays.' },
  {
    value: 'remove',
    label: 'No, somebody else did',
    hint: 'The sites, people, webhooks and everything else made in my name go.',
  },
];

/** The link says whether nobody ever confirmed the address; then somebody else may have made the account. */
function SetPassword({ token, asks }: { token: string; asks: boolean }) {
  const { entered } = useSession();
  const [step, setStep] = useState<SecondStep>();
  const navigate = useNavigate();
  if (step)
    return (
      <SecondStepCard step={step} onPassed={() => entered('/')} onAgain={() => void navigate({ to: '/sign-in' })} />
    );
  return (
    <AuthCard
      title="Set a new password"
      description="You will be signed out everywhere else."
      footer={
        <Link to="/reset" className={textLink}>
          Ask for another link
        </Link>
      }
    >
      <Form
        submit={async ({ password = '', keep_contents }) => {
          const { second_step } = await api.resetPassword({
            body: { token, password, ...(asks && { keep_contents: keep_contents === 'keep' }) },
          });
          if (second_step) {
            toast.success('Your password is changed.');
            return setStep(second_step);
          }
          toast.success('Your password is changed, and you are signed in.');
          await entered('/');
        }}
      >
        <Field name="password" label="New password">
          <PasswordInput autoComplete="new-password" minLength={8} required autoFocus />
        </Field>
        {asks && <RadioGroup name="keep_contents" legend="Did you make this account yourself?" options={contents} />}
        <SubmitButton size="lg">Set password</SubmitButton>
      </Form>
    </AuthCard>
  );
}
