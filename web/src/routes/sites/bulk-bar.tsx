import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { messageOf } from '../../ui/form.tsx';
import { formatAmount } from '../../ui/format.ts';
import { ClearIcon, CloseIcon, LabelIcon, MoonIcon, UpdatesIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';
import { LabelDialog } from './label-dialog.tsx';

type BulkBarProps = { teamId: string; sites: Site[]; onDone: () => void };

/** What can be done to several sites at once: a label, what is told of those of which it is done, and the call for each. */
interface Action {
  label: string;
  /** To which of the chosen sites; all of them where it is not said. */
  isFor?: (site: Site) => boolean;
  done: (count: number) => string;
  Icon: typeof MoonIcon;
  run: (fqdn: string) => Promise<unknown>;
}

const actions: Action[] = [
  {
    label: 'Put to sleep',
    isFor: ({ is_sleeping }) => !is_sleeping,
    done: (count: number) => `${formatAmount(count, 'site')} ${count === 1 ? 'is' : 'are'} sleeping.`,
    Icon: MoonIcon,
    run: (fqdn: string) => api.sleepSite({ params: { fqdn } }),
  },
  {
    label: 'Clear cache',
    done: (count: number) => `The cache of ${formatAmount(count, 'site')} is empty.`,
    Icon: ClearIcon,
    run: (fqdn: string) => api.clearSiteCache({ params: { fqdn } }),
  },
];

const update: Action = {
  label: 'Update',
  isFor: ({ updates_waiting }) => updates_waiting > 0,
  done: (count) => `${formatAmount(count, 'site')} ${count === 1 ? 'is' : 'are'} being updated.`,
  Icon: UpdatesIcon,
  run: (fqdn) => api.updateSoftware({ params: { fqdn }, body: {} }),
};

export function BulkBar({ teamId, sites, onDone }: BulkBarProps) {
  const queryClient = useQueryClient();
  const [isLabelling, setLabelling] = useState(false);
  const work = useMutation({
    // A few at a time, so that forty sites are no storm; each says itself whether it could.
    mutationFn: async ({ action: { run }, of }: { action: Action; of: Site[] }) => {
      const waiting = of.map(({ fqdn }) => fqdn);
      const failures: string[] = [];
      const worker = async () => {
        for (let fqdn = waiting.shift(); fqdn; fqdn = waiting.shift())
          await run(fqdn).catch((error) => failures.push(`${fqdn}: ${messageOf(error)}`));
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
      await queryClient.invalidateQueries({ queryKey: ['sites'] });
      return failures;
    },
    onSuccess: (failures, { action, of }) => {
      const well = of.length - failures.length;
      if (well > 0) toast.success(action.done(well));
      if (failures.length > 0) toast.error(failures.slice(0, 3).join(' '));
      onDone();
    },
  });
  const running = work.isPending ? work.variables.action : undefined;
  const stateOf = (action: Action) => ({ pending: running === action, disabled: running !== undefined });
  const sitesFor = ({ isFor = () => true }: Action) => sites.filter(isFor);
  const outdated = sitesFor(update);
  return (
    <>
      {/* So that the end of the page is not under the bar, which has two rows on a small screen. */}
      <div className="h-20 sm:hidden" />
      <section
        aria-label="Selected sites"
        className="popup fixed inset-x-4 bottom-4 z-30 mx-auto flex w-fit max-w-[calc(100%-2rem)] flex-wrap items-center gap-2 p-3 sm:p-2 sm:pl-4"
      >
        <p
          role="status"
          className="mr-2 font-medium tabular-nums max-sm:ml-1 max-sm:flex-1 max-sm:basis-[calc(100%-4rem)]"
        >
          {formatAmount(sites.length, 'site')} selected
        </p>
        <Button variant="ghost" size="icon" aria-label="Select none" className="sm:order-last" onClick={onDone}>
          <CloseIcon />
        </Button>
        <Button variant="secondary" size="sm" className="max-sm:flex-1" onClick={() => setLabelling(true)}>
          <LabelIcon /> Labels
        </Button>
        {actions
          .filter((action) => sitesFor(action).length > 0)
          .map((action) => (
            <Button
              key={action.label}
              variant="secondary"
              size="sm"
              className="max-sm:flex-1"
              {...stateOf(action)}
              onClick={() => work.mutate({ action, of: sitesFor(action) })}
            >
              <action.Icon /> {action.label}
            </Button>
          ))}
        {outdated.length > 0 && (
          <ConfirmAction
            title={`Install the waiting updates on ${formatAmount(outdated.length, 'site')}?`}
            action="Update"
            isHarmless
            onConfirm={() => work.mutateAsync({ action: update, of: outdated })}
            trigger={
              <Button variant="secondary" size="sm" className="max-sm:flex-1" {...stateOf(update)}>
                <update.Icon /> {update.label}
              </Button>
            }
          >
            Each site is backed up first, and its visitors wait while it is changed. Where a page breaks, the site goes
            back to the backup by itself.
          </ConfirmAction>
        )}
        <LabelDialog teamId={teamId} sites={sites} open={isLabelling} onOpenChange={setLabelling} onDone={onDone} />
      </section>
    </>
  );
}
