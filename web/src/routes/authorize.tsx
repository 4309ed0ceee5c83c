import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, type AuthorizationQuestion, type Operations } from '#sdk';
import { api } from '../api/client.ts';
import { useMe, useSession } from '../api/session.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { TeamField, teamOf } from '../layout/token-reach.tsx';
import { Alert } from '../ui/alert.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button, buttonStyle } from '../ui/button.tsx';
import { Form, messageOf, SubmitButton } from '../ui/form.tsx';
import { RadioGroup } from '../ui/radio.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const route = getRouteApi('/auth/authorize');
type Request = Operations['getAuthorization']['input']['query'];
type Decision = Pick<Operations['decideAuthorization']['input']['body'], 'decision' | 'access' | 'team_id'>;

const options = {
  read: { value: 'read', label: 'Read', hint: 'See what you see, except secrets. It changes nothing.' },
  plan: { value: 'plan', label: 'Plan', hint: 'Preview and propose changes. Each waits for you to confirm it here.' },
  write: { value: 'write', label: 'Full access', hint: 'Change, restore and delete what you may, without asking.' },
};

/** A program of somebody else asks to act for whoever is signed in (OAuth). */
export function AuthorizePage() {
  const request = route.useSearch() as Request;
  const question = useQuery({
    queryKey: ['authorization', request],
    queryFn: ({ signal }) => api.getAuthorization({ query: request, signal }),
    retry: false,
  });
  if (question.error) return <Wrong error={question.error} />;
  if (!question.data)
    return (
      <AuthCard title="Connect a program">
        <div role="status" className="grid gap-3">
          <span className="sr-only">Loading</span>
          <Skeleton />
          <Skeleton className="w-2/3" />
        </div>
      </AuthCard>
    );
  return <Consent request={request} question={question.data} />;
}

/** Nobody is led on by themselves: who registered the address is not known. */
function Wrong({ error }: { error: unknown }) {
  const location = error instanceof ApiError ? (error.data.location as string | undefined) : undefined;
  return (
    <AuthCard title="This program cannot be connected" description={messageOf(error)}>
      <div className="grid gap-3">
        <Link to="/" className={buttonStyle({ variant: 'secondary', size: 'lg' })}>
          Go to the dashboard
        </Link>
        {location && (
          <a href={location} className={buttonStyle({ variant: 'ghost', size: 'lg' })}>
            Back to the program
          </a>
        )}
      </div>
    </AuthCard>
  );
}

function Consent({ request, question }: { request: Request; question: AuthorizationQuestion }) {
  const me = useMe();
  const { signOut } = useSession();
  const [denying, setDenying] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function decide(decision: Decision) {
    const { location } = await api.decideAuthorization({ body: { ...request, ...decision } });
    window.location.assign(location);
  }
  async function allow(values: Record<string, string>) {
    await decide({ decision: 'allow', access: values.access as Decision['access'], ...teamOf(values) });
  }
  async function deny() {
    setDenying(true);
    try {
      await decide({ decision: 'deny' });
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setDenying(false);
    }
  }

  return (
    <AuthCard
      title={`Connect “${question.client_name}”?`}
      description="It asks to act for you on Siteyard."
      footer={
        <>
          You can end this at any time under{' '}
          <Link to="/account" search={{ tab: 'programs' }} className={textLink}>
            Account
          </Link>
          .
        </>
      }
    >
      <Form submit={allow} className="grid-cols-1">
        <div className="flex items-center gap-3">
          <Avatar name={me.full_name} id={me.id} />
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium">{me.full_name}</p>
            <p className="truncate text-muted text-xs">{me.email}</p>
          </div>
          <Button variant="ghost" size="sm" onClick={() => void signOut()}>
            Not you?
          </Button>
        </div>
        <Alert tone="warn">
          The name is what the program calls itself; we have not checked it. What you allow goes to{' '}
          <strong className="break-words">{question.destination}</strong>. Go on only if you began this there yourself.
        </Alert>
        <RadioGroup name="access" legend="It may" options={question.scopes.map((scope) => options[scope])} />
        <TeamField label="In" />
        {problem && <Alert tone="danger">{problem}</Alert>}
        <div className="grid gap-3">
          <SubmitButton size="lg">Connect</SubmitButton>
          <Button variant="secondary" size="lg" pending={denying} onClick={() => void deny()}>
            Refuse
          </Button>
        </div>
      </Form>
    </AuthCard>
  );
}
