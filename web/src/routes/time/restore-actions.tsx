import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import type { PitRestore, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { CheckCircleIcon, EyeIcon, HistoryIcon } from '../../ui/icons.ts';
import { formatMoment } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useBeginRestore } from './restores.ts';
import type { RestoreWish } from './time-queries.ts';

type RestoreActionsProps = { site: Site; wish: RestoreWish; onBegun: (restore: PitRestore) => void };

/** Restoring asks no question back: what it will do stands beside it, and it can be undone. */
export function RestoreActions({ site, wish, onBegun }: RestoreActionsProps) {
  const explanation = useId();
  const isBusy = site.busy !== null;
  const begin = useBeginRestore(site.fqdn);
  const restore = useMutation({
    mutationFn: (isDryRun: boolean) => begin({ ...wish, is_dry_run: isDryRun }),
    onSuccess: onBegun,
    onError: (error) => toast.error(messageOf(error)),
  });
  const look = useMutation({
    mutationFn: () => openAsItWas(site.fqdn, wish),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          // It keeps the focus while it can not be used, for whoever works with the keyboard.
          pending={isBusy || (restore.isPending && !restore.variables)}
          disabled={restore.isPending}
          aria-describedby={explanation}
          onClick={() => restore.mutate(false)}
        >
          <HistoryIcon /> Restore this minute
        </Button>
        <Button
          variant="secondary"
          pending={restore.isPending && restore.variables}
          disabled={isBusy || restore.isPending}
          title="Do all of it to a copy that is thrown away"
          onClick={() => restore.mutate(true)}
        >
          <CheckCircleIcon /> Try it out
        </Button>
        <Button
          variant="secondary"
          pending={look.isPending}
          disabled={isBusy}
          title="Open the site as it was, in a new tab, for half an hour"
          onClick={() => look.mutate()}
        >
          <EyeIcon /> Look at it
        </Button>
      </div>
      <p id={explanation} className="text-muted">
        {explain(wish)}
      </p>
    </div>
  );
}

function explain({ restore_point, restore_db, restore_cms_content, delete_extra_files }: RestoreWish): string {
  const what = [restore_cms_content && 'files', restore_db && 'database'].filter(Boolean).join(' and ');
  const newer = delete_extra_files ? ' Files that did not exist then are deleted.' : ' Files that came later stay.';
  return (
    `Restoring puts ${what} back to how they were at ${formatMoment(restore_point)}.${restore_cms_content ? newer : ''} ` +
    'Visitors wait for the moment that it takes. What is there now is kept, and one click brings it back.'
  );
}

async function openAsItWas(fqdn: string, body: RestoreWish): Promise<void> {
  // Opened before the answer comes: later, browsers take it for an advertisement.
  const tab = window.open('about:blank', '_blank');
  try {
    const { browse } = await api.previewPitRestore({ params: { fqdn }, query: { browse: true, size: 1 }, body });
    const path = new URL(browse?.url ?? '/', location.origin).pathname;
    if (!tab) return location.assign(path);
    // What opens there must not reach back into the dashboard.
    tab.opener = null;
    tab.location.replace(new URL(path, location.origin));
  } catch (error) {
    tab?.close();
    throw error;
  }
}
