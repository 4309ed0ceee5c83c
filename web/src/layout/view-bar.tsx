import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api/client.ts';
import { leaveTo, meQuery, useMe } from '../api/session.ts';
import { dateFormat } from '../ui/clock.ts';
import { EyeIcon } from '../ui/icons.ts';

const clock = dateFormat({ timeStyle: 'short' });

/** Says that it is not oneself who is shown here, for as long as that is so. */
export function ViewBar() {
  const me = useMe();
  const queryClient = useQueryClient();
  const until = me.view?.expires_at;
  useEffect(() => {
    if (until === undefined) return;
    // By a full load: from then on the operator is themself again.
    const timer = setTimeout(() => location.reload(), Math.max(0, Date.parse(until) - Date.now()) + 1000);
    return () => clearTimeout(timer);
  }, [until]);
  if (!me.view || until === undefined) return null;

  async function end() {
    try {
      await api.endView({});
    } finally {
      queryClient.removeQueries({ queryKey: meQuery.queryKey });
      leaveTo(`/operator/people/${me.id}`);
    }
  }

  return (
    <section
      aria-label="Viewing somebody's account"
      className="fixed inset-x-4 bottom-4 z-40 mx-auto flex w-fit max-w-full flex-wrap items-center justify-center gap-x-4 gap-y-1 rounded-2xl bg-fg px-5 py-2.5 text-bg text-sm shadow-pop"
    >
      <p className="flex items-center gap-2">
        <EyeIcon />
        <span>
          You see what <strong className="font-semibold">{me.full_name}</strong> sees, read-only, until{' '}
          {clock.format(new Date(until))}.
        </span>
      </p>
      <button
        type="button"
        onClick={() => void end()}
        className="rounded font-medium underline underline-offset-4 focus-visible:outline-bg"
      >
        End the view
      </button>
    </section>
  );
}
