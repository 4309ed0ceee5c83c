import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { ResendButton } from '../layout/resend-button.tsx';
import { buttonStyle } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';
import { Spinner } from '../ui/spinner.tsx';

const route = getRouteApi('/auth/verify');

export function VerifyPage() {
  const { token } = route.useSearch();
  return token ? <Verify token={token} /> : <NoToken />;
}

function Verify({ token }: { token: string }) {
  const { entered } = useSession();
  // A query and not an effect: it runs once for a token, however often the page is drawn.
  const { error, isSuccess } = useQuery({
    queryKey: ['link', 'verify', token],
    queryFn: async () => {
      await api.verifyEmail({ body: { token } });
      await entered();
      return true;
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
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
      title="Confirming your address"
      description={
        <span role="status" className="mt-4 inline-flex items-center gap-2">
          <Spinner /> One moment…
        </span>
      }
    />
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
