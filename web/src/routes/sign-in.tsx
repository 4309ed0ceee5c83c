import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SecondStep } from '#sdk';
import { api, isStatus } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { askPasskey, canUsePasskeys } from '../layout/passkeys.ts';
import { SecondStepCard } from '../layout/second-step.tsx';
import { Field } from '../ui/field.tsx';
import { Form, SubmitButton } from '../ui/form.tsx';
import { KeyIcon } from '../ui/icons.ts';
import { Input, PasswordInput } from '../ui/input.tsx';

const route = getRouteApi('/auth/sign-in');

export function SignInPage() {
  const { next, email } = route.useSearch();
  const { signIn, entered } = useSession();
  const [step, setStep] = useState<SecondStep>();
  if (step)
    return <SecondStepCard step={step} onPassed={() => entered(next ?? '/')} onAgain={() => setStep(undefined)} />;
  return (
    <AuthCard
      title="Sign in"
      footer={
        <>
          New here?{' '}
          <Link to="/register" search={{ next, email }} className={textLink}>
            Create an account
          </Link>
        </>
      }
    >
      <Form
        submit={async ({ username = '', password = '' }) => setStep(await signIn(username, password, next))}
        remedy={(error) =>
          isStatus(error, 429) && (
            <Link to="/reset" className={textLink}>
              Email me a link
            </Link>
          )
        }
      >
        <Field name="username" label="Email">
          <Input type="email" autoComplete="username" defaultValue={email} required autoFocus />
        </Field>
        <Field
          name="password"
          label="Password"
          aside={
            <Link to="/reset" className={`${textLink} text-xs`}>
              Forgot it?
            </Link>
          }
        >
          <PasswordInput autoComplete="current-password" required />
        </Field>
        <SubmitButton size="lg">Sign in</SubmitButton>
      </Form>
      {canUsePasskeys && <PasskeySignIn onEntered={() => entered(next ?? '/')} />}
    </AuthCard>
  );
}

/** The passkey knows whose it is, so nothing has to be typed. */
function PasskeySignIn({ onEntered }: { onEntered: () => Promise<void> }) {
  async function submit() {
    const { challenge, options } = await api.beginPasskeySignIn();
    await api.signInWithPasskey({ body: { challenge, ...(await askPasskey(options)) } });
    await onEntered();
  }
  return (
    <>
      <div className="my-5 flex items-center gap-3 text-muted text-xs">
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      <Form submit={submit}>
        <SubmitButton variant="secondary" size="lg">
          <KeyIcon /> Use a passkey
        </SubmitButton>
      </Form>
    </>
  );
}
