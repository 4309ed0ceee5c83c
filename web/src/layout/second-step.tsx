import { useState } from 'react';
import type { SecondStep } from '#sdk';
import { api, isStatus } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form, SubmitButton } from '../ui/form.tsx';
import { Input } from '../ui/input.tsx';
import { AuthCard, textLink } from './auth-layout.tsx';
import { askPasskey, canUsePasskeys } from './passkeys.ts';

type Method = SecondStep['methods'][number];

const words: Record<Method, { title: string; choose: string; description: string }> = {
  passkey: {
    title: 'Use your passkey',
    choose: 'Use a passkey',
    description: 'Your browser asks for a finger, your face, a PIN or your security key.',
  },
  totp: {
    title: 'Enter your code',
    choose: 'Use the authenticator app',
    description: 'Open your authenticator app and type the six digits that it shows for Siteyard.',
  },
  recovery_code: {
    title: 'Use a recovery code',
    choose: 'Use a recovery code',
    description: 'One of the ten codes that you kept. Each works once.',
  },
};

type SecondStepCardProps = { step: SecondStep; onPassed: () => Promise<void>; onAgain: () => void };

/** What is asked for after the password, wherever somebody comes in. */
export function SecondStepCard({ step, onPassed, onAgain }: SecondStepCardProps) {
  const methods = step.methods.filter((method) => method !== 'passkey' || canUsePasskeys);
  const [method, setMethod] = useState<Method>(methods[0] ?? 'recovery_code');
  const { title, description } = words[method];

  async function submit({ code = '' }: Record<string, string>) {
    const { challenge, passkey_options } = step;
    if (method === 'passkey')
      await api.passSecondStep({ body: { challenge, ...(await askPasskey(passkey_options ?? {})) } });
    else await api.passSecondStep({ body: { challenge, [method === 'totp' ? 'code' : 'recovery_code']: code } });
    await onPassed();
  }

  return (
    <AuthCard
      title={title}
      description={description}
      footer={
        <button type="button" className={textLink} onClick={onAgain}>
          Sign in again
        </button>
      }
    >
      <Form
        key={method}
        submit={submit}
        fieldOfCode={{ 'auth.wrong_code': 'code' }}
        remedy={(error) =>
          isStatus(error, 409) && (
            <button type="button" className={textLink} onClick={onAgain}>
              Sign in again
            </button>
          )
        }
      >
        {method === 'totp' && (
          <Field name="code" label="Code">
            <Input
              inputMode="numeric"
              autoComplete="one-time-code"
              placeholder="123456"
              required
              autoFocus
              className="text-center font-mono text-lg tracking-[0.4em]"
            />
          </Field>
        )}
        {method === 'recovery_code' && (
          <Field name="code" label="Recovery code">
            <Input
              autoComplete="off"
              autoCapitalize="none"
              spellcheck={false}
              placeholder="abcd-efgh-jkmn"
              required
              autoFocus
              className="font-mono"
            />
          </Field>
        )}
        <SubmitButton size="lg" autoFocus={method === 'passkey'}>
          {method === 'passkey' ? 'Use passkey' : 'Continue'}
        </SubmitButton>
      </Form>
      {methods.length > 1 && (
        <div className="mt-5 grid gap-1 border-line border-t pt-4">
          {methods
            .filter((other) => other !== method)
            .map((other) => (
              <Button key={other} variant="ghost" onClick={() => setMethod(other)}>
                {words[other].choose}
              </Button>
            ))}
        </div>
      )}
    </AuthCard>
  );
}
