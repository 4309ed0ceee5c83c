import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { meQuery, useSession } from '../api/session.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { ResendButton } from '../layout/resend-button.tsx';
import { Button, buttonStyle } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';

const route = getRouteApi('/auth/verify');

export function VerifyPage() {
  const { token } = route.useSearch();
  return token ? <Verify token={token} /> : <NoToken />;
}

/** By a button and not by itself: programs that look at every link in a mail must not confirm anything. */
function Verify({ token }: { token: string }) {
  const { entered } = useSession();
  const { error, isSuccess, isPending, mutate } = useMutation({
    mutationFn: async () => {
      await api.verifyEmail({ body: { token } });
      await entered();
    },
  });
  if (isSuccess) {
    return (
      <AuthCard title="Your address is confirmed" description="You are signed in, and everything is ready.">
        <Link to="/" className={buttonStyle({ size: 'lg', className: 'w-full' })}>
          Continue to the dashboard
        </Link>
      </AuthCard>
    );
  }
  if (error) {
    return (
      <AuthCard title="This link does not work" description={messageOf(error)}>
        <Again />
      </AuthCard>
    );
  }
  return (
    <AuthCard
      title="Confirm your address"
      description="Only if you made this account yourself."
      footer="Somebody else made it? Then leave this page. The other link in the email lets you set a password of your own, and what was made in your name goes."
    >
      <Button size="lg" className="w-full" pending={isPending} onClick={() => mutate()}>
        I made it, confirm my address
      </Button>
    </AuthCard>
  );
}

function NoToken() {
  return (
    <AuthCard title="Check your inbox" description="We mailed you a link that confirms your address.">
      <Again />
    </AuthCard>
  );
}

function Again() {
  const { data: me } = useQuery(meQuery);
  if (me?.is_verified) {
    return (
      <p className="text-center">
        {me.email} is confirmed already.{' '}
        <Link to="/" className={textLink}>
          Go to the dashboard
        </Link>
      </p>
    );
  }
  if (me) {
    return (
      <p className="text-center">
        Need another link for {me.email}? <ResendButton className={textLink} />
      </p>
    );
  }
  return (
    <p className="text-center">
      <Link to="/sign-in" search={{ next: '/account' }} className={textLink}>
        Sign in
      </Link>{' '}
      to get another link.
    </p>
  );
}
