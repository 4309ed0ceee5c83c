import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useMe } from '../api/session.ts';
import { AuthCard } from '../layout/auth-layout.tsx';
import { reachOf, TokenReach } from '../layout/token-reach.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../ui/form.tsx';
import { Input } from '../ui/input.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Time } from '../ui/time.tsx';

type Answer = 'confirmed' | 'refused';

/**
 * A program without a browser shows a code; whoever is signed in here says whether it may act in their name. The code is typed, and
 * never taken from the address: a link that somebody sends must not be enough.
 */
export function DevicePage() {
  const [code, setCode] = useState<string>();
  const [answer, setAnswer] = useState<Answer>();
  if (answer) return <Answered answer={answer} />;
  return code ? (
    <Waiting code={code} onAnswer={setAnswer} onOther={() => setCode(undefined)} />
  ) : (
    <AskForCode onCode={setCode} />
  );
}

function AskForCode({ onCode }: { onCode: (code: string) => void }) {
  return (
    <AuthCard title="Sign a program in" description="Type the code that your terminal shows.">
      <Form submit={async ({ code }: { code: string }) => onCode(code)}>
        <Field name="code" label="Code">
          <Input autoComplete="off" autoCapitalize="characters" spellcheck={false} placeholder="WDJB-MJHT" required />
        </Field>
        <SubmitButton size="lg">Continue</SubmitButton>
      </Form>
    </AuthCard>
  );
}

type WaitingProps = { code: string; onAnswer: (answer: Answer) => void; onOther: () => void };

function Waiting({ code, onAnswer, onOther }: WaitingProps) {
  const { email } = useMe();
  const [problem, setProblem] = useState<string>();
  const waiting = useQuery({
    queryKey: ['link', 'device', code],
    queryFn: ({ signal }) => api.inspectDeviceSignIn({ body: { user_code: code }, signal }),
    retry: false,
  });
  if (waiting.error) {
    return (
      <AuthCard title="This code does not work" description={messageOf(waiting.error)}>
        <Button variant="secondary" size="lg" className="w-full" onClick={onOther}>
          Type another code
        </Button>
      </AuthCard>
    );
  }
  if (!waiting.data) {
    return (
      <AuthCard title="Sign a program in">
        <div role="status" className="grid gap-3">
          <span className="sr-only">Loading</span>
          <Skeleton />
          <Skeleton className="w-2/3" />
        </div>
      </AuthCard>
    );
  }
  async function confirm(values: Record<string, unknown>) {
    await api.confirmDeviceSignIn({ body: { user_code: code, ...reachOf(values) } });
    onAnswer('confirmed');
  }
  async function refuse() {
    try {
      await api.refuseDeviceSignIn({ body: { user_code: code } });
      onAnswer('refused');
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  const { client_name, ip, created_at } = waiting.data;
  return (
    <AuthCard
      title={`Let “${client_name}” in?`}
      description={`It will act as ${email}, until you revoke its token on your account page.`}
      footer="Somebody sent you this code? Then refuse: whoever did wants to use your account."
    >
      <Form submit={confirm}>
        <div className="text-center">
          <p className="font-mono font-semibold text-2xl tracking-widest">{code.toUpperCase()}</p>
          <p className="mt-1 text-muted text-xs">
            Your terminal must show this code. Asked from {ip}, <Time iso={created_at} />.
          </p>
        </div>
        {problem && <Alert tone="danger">{problem}</Alert>}
        <TokenReach />
        <div className="grid gap-3">
          <SubmitButton size="lg">Let it in</SubmitButton>
          <Button variant="secondary" size="lg" onClick={() => void refuse()}>
            Refuse
          </Button>
        </div>
      </Form>
    </AuthCard>
  );
}

function Answered({ answer }: { answer: Answer }) {
  return answer === 'confirmed' ? (
    <AuthCard title="It is signed in" description="You can close this page and go on in your terminal." />
  ) : (
    <AuthCard title="Refused" description="It was not let in. You can close this page." />
  );
}
