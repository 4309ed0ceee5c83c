import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId } from 'react';
import type { Backup } from '#sdk';
import { api } from '../../api/client.ts';
import type { Place } from '../../api/sites.ts';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { controlStyle } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Minute, minuteOf } from './backups.ts';

const minuteMs = 60_000;

type GoToProps = { place: Place; onChoose: (minute: Minute) => void };

/** For whoever knows the time, and for minutes that are too far back to be drawn. */
export function GoTo({ place: { fqdn, stage }, onChoose }: GoToProps) {
  const id = useId();
  const find = useMutation({
    mutationFn: async (localTime: string) => {
      // Whatever was kept within that minute is meant.
      const restore_point = new Date(Date.parse(localTime) + minuteMs - 1).toISOString();
      return minuteOf((await api.getBackups({ params: { fqdn }, query: { restore_point, stage } })) as Backup);
    },
    onSuccess: onChoose,
    onError: (error) => toast.error(messageOf(error)),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const time = new FormData(event.currentTarget).get('time');
    if (time) find.mutate(String(time));
  }
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <label htmlFor={id} className="sr-only">
        Time to go to
      </label>
      <input id={id} name="time" type="datetime-local" className={`${controlStyle} h-8.5 w-52 min-w-0`} />
      <Button type="submit" variant="secondary" size="sm" pending={find.isPending}>
        Go
      </Button>
    </form>
  );
}
