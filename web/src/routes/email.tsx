import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { meQuery } from '../api/session.ts';
import { AuthCard } from '../layout/auth-layout.tsx';
import { Button, buttonStyle } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';

const confirmRoute = getRouteApi('/auth/email');
const backRoute = getRouteApi('/auth/email/back');

const toAccount = (
  <Link to="/account" className={buttonStyle({ size: 'lg', className: 'w-full' })}>
    Go to your account
  </Link>
);

/** By a button and not by itself: programs that look at every link in a mail must not change anything. */
export function ConfirmEmailPage() {
  const { token = '' } = confirmRoute.useSearch();
  const queryClient = useQueryClient();
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: async () => {
      const me = await api.confirmEmail({ body: { token } });
      queryClient.setQueryData(meQuery.queryKey, me);
      return me;
    },
  });
  if (data)
    return (
      <AuthCard title="Your address is changed" description={`From now on you sign in with ${data.email}.`}>
        {toAccount}
      </AuthCard>
    );
  if (error)
    return (
      <AuthCard title="This link does not work" description={messageOf(error)}>
        {toAccount}
      </AuthCard>
    );
  return (
    <AuthCard title="Use this address?" description="You will sign in with it, and our emails go there.">
      <Button size="lg" className="w-full" pending={isPending} onClick={() => mutate()}>
        Use this address
      </Button>
    </AuthCard>
  );
}

export function EmailBackPage() {
  const { token = '' } = backRoute.useSearch();
  const { error, isSuccess, isPending, mutate } = useMutation({
    mutationFn: () => api.takeEmailBack({ body: { token } }),
  });
  const toSignIn = (
    <Link to="/sign-in" className={buttonStyle({ variant: 'secondary', size: 'lg', className: 'w-full' })}>
      Go to sign in
    </Link>
  );
  if (isSuccess)
    return (
      <AuthCard
        title="The account is yours again"
        description="Everybody is signed out. We mailed you a link to set a new password; use it now."
      >
        {toSignIn}
      </AuthCard>
    );
  if (error)
    return (
      <AuthCard title="This link does not work" description={messageOf(error)}>
        {toSignIn}
      </AuthCard>
    );
  return (
    <AuthCard
      title="Take your account back"
      description="The account gets this email address again, everybody is signed out, and the password is void until you set a new one."
    >
      <Button variant="danger" size="lg" className="w-full" pending={isPending} onClick={() => mutate()}>
        It was not me, take it back
      </Button>
    </AuthCard>
  );
}
