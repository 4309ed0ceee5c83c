import { useMutation } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { EyeIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';
import { openPreview } from './previews.ts';

/** The site as it was, in a tab of its own. */
export function OpenPreview({ site, stage, point }: { site: Site; stage: boolean; point: string }) {
  const open = useMutation({
    mutationFn: async () => {
      // Opened before the answer comes: later, browsers take it for an advertisement.
      const tab = window.open('about:blank', '_blank');
      try {
        const path = await openPreview(site, stage, point);
        if (!tab) return location.assign(path);
        // What opens there must not reach back into the dashboard.
        tab.opener = null;
        tab.location.replace(new URL(path, location.origin));
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Button
      variant="secondary"
      pending={open.isPending}
      disabled={site.busy !== null}
      title="Opens a copy of the site as it was, in a new tab, for half an hour. Nothing you do there reaches the site."
      onClick={() => open.mutate()}
    >
      <EyeIcon className="max-sm:hidden" /> Open preview
    </Button>
  );
}
