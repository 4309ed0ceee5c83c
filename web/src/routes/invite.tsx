import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { roleLabel } from '../api/roles.ts';
import { meQuery, useSession } from '../api/session.ts';
import { AuthCard } from '../layout/auth-layout.tsx';
import { Alert } from '../ui/alert.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button, buttonStyle } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';
import { formatDate } from '../ui/format-time.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { toast } from '../ui/toast.tsx';

const route = getRouteApi('/auth/invite');

export function InvitePage() {
  const { token = '' } = route.useSearch();
  const { data: me, isPending: meIsPending } = useQuery(meQuery);
  const invite = useQuery({
    queryKey: ['link', 'invite', token],
    queryFn: ({ signal }) => api.inspectInvite({ body: { token }, signal }),
    retry: false,
  });

  if (invite.error) {
    return (
      <AuthCard
        title="This invite does not work"
        description={token ? messageOf(invite.error) : 'Its address is incomplete. Copy the whole link from the email.'}
      >
        <Link to="/" className={buttonStyle({ variant: 'secondary', size: 'lg', className: 'w-full' })}>
          Go to the dashboard
        </Link>
      </AuthCard>
    );
  }
  if (!invite.data || meIsPending) {
    return (
      <AuthCard title="Your invite">
        <div role="status" className="grid gap-3">
          <span className="sr-only">Loading</span>
          <Skeleton />
          <Skeleton className="w-2/3" />
        </div>
      </AuthCard>
    );
  }
  const { team_name, target_email, first_name, role, expiry } = invite.data;
  return (
    <AuthCard
      title={`Join ${team_name}`}
      description={`${first_name ? `Hello ${first_name}. ` : ''}You are invited as ${roleLabel(role).toLowerCase()}.`}
      footer={`The invite is for ${target_email} and good until ${formatDate(expiry)}.`}
    >
      {me ? (
        <Accept token={token} email={target_email} me={me} teamName={team_name} />
      ) : (
        <Enter token={token} email={target_email} />
      )}
    </AuthCard>
  );
}

function Enter({ token, email }: { token: string; email: string }) {
  const search = { next: `/invite?${new URLSearchParams({ token })}`, email };
  return (
    <div className="grid gap-3">
      <Link to="/register" search={search} className={buttonStyle({ size: 'lg' })}>
        Create an account
      </Link>
      <Link to="/sign-in" search={search} className={buttonStyle({ variant: 'secondary', size: 'lg' })}>
        I have an account
      </Link>
    </div>
  );
}

type AcceptProps = {
  token: string;
  email: string;
  teamName: string;
  me: { id: string; email: string; full_name: string };
};

function Accept({ token, email, teamName, me }: AcceptProps) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { entered, signOut } = useSession();
  const navigate = useNavigate();

  async function accept() {
    setPending(true);
    try {
      const team = await api.acceptInvite({ body: { token } });
      await entered();
      toast.success(`You are now in ${teamName}.`);
      await navigate({ to: '/teams/$teamId', params: { teamId: team.id } });
    } catch (error) {
      setProblem(messageOf(error));
      setPending(false);
    }
  }

  const mine = me.email.toLowerCase() === email.toLowerCase();
  return (
    <div className="grid gap-5">
      <div className="flex items-center gap-3">
        <Avatar name={me.full_name} id={me.id} />
        <div className="min-w-0">
          <p className="font-medium">{me.full_name}</p>
          <p className="text-muted text-xs">{me.email}</p>
        </div>
      </div>
      {problem && <Alert tone="danger">{problem}</Alert>}
      {mine ? (
        <Button size="lg" pending={pending} onClick={() => void accept()}>
          Accept and join
        </Button>
      ) : (
        <>
          <Alert tone="warn">You are signed in with another address than the invited one.</Alert>
          <Button variant="secondary" size="lg" onClick={() => void signOut()}>
            Sign out to switch
          </Button>
        </>
      )}
    </div>
  );
}
