import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Notifications } from '#sdk';
import { api } from '../api/client.ts';
import { mailKinds } from '../api/mail-kinds.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { Button } from '../ui/button.tsx';
import { messageOf } from '../ui/form.tsx';

const route = getRouteApi('/auth/unsubscribe');

/** By a button and not by itself: programs look at every link in a mail. */
export function UnsubscribePage() {
  const { token = '', kind = '' } = route.useSearch();
  const known = mailKinds.find((each) => each.kind === kind);
  const { error, isSuccess, isPending, mutate } = useMutation({
    mutationFn: () => api.unsubscribe({ query: { token, kind: kind as keyof Notifications }, body: {} }),
  });
  const footer = (
    <Link to="/account" search={{ tab: 'notifications' }} className={textLink}>
      Choose which emails you get
    </Link>
  );
  if (!known || error)
    return (
      <AuthCard
        title="This link does not work"
        description={error ? messageOf(error) : 'Its address is incomplete.'}
        footer={footer}
      />
    );
  if (isSuccess)
    return (
      <AuthCard
        title="You will get no more of these"
        description={<span role="status">{known.label} emails are off. You can turn them on again at any time.</span>}
        footer={footer}
      />
    );
  return (
    <AuthCard title={`No more ${known.label.toLowerCase()} emails?`} description={known.hint} footer={footer}>
      <Button size="lg" className="w-full" pending={isPending} onClick={() => mutate()}>
        Send me no more of these
      </Button>
    </AuthCard>
  );
}
