import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Event, Site } from '#sdk';
import { detailOf } from '../../api/events.ts';
import { stateOf } from '../../api/sites.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { PlanLink } from '../../layout/plan-link.tsx';
import { Alert } from '../../ui/alert.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { capitalise } from '../../ui/format.ts';
import { CheckIcon, WarningIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSiteEvents } from './site-changes.ts';

const isRunning = (event: Event) => event.finished_at === null;

/** How far a new site is, as the event stream tells it. */
export function Creating({ site }: { site: Site }) {
  const event = useSiteEvents(site.id).find(isRunning);
  const step = event && detailOf(event).step;
  return (
    <Card className="plots overflow-hidden [--plots-ground:var(--surface)]">
      <div className="grid justify-items-center px-6 py-16 text-center">
        <Spinner className="mb-5 size-8 text-accent-text" />
        <h2 className="font-semibold text-base">Your site is being created</h2>
        <p className="mt-1 max-w-sm text-balance text-muted">
          {step === 'preparing WordPress'
            ? 'This platform is getting WordPress ready for the first time. That takes a minute, once.'
            : 'This takes a few seconds. You can leave this page; it goes on without you.'}
        </p>
        <div role="status" className="mt-6 text-left">
          <ul className="grid gap-2">
            <li className="flex items-center gap-2.5 text-muted">
              <CheckIcon className="text-accent-text" /> The name is yours
            </li>
            <li className="flex items-center gap-2.5">
              <Spinner /> {step ? capitalise(step) : 'Setting up WordPress'}
            </li>
          </ul>
        </div>
      </div>
    </Card>
  );
}

/** Says so once to whoever watched, in a note that goes by itself and moves nothing. */
export function useCreatedNote(site: Site): void {
  const isCreating = site.busy === 'creating';
  const [sawCreating, setSawCreating] = useState(isCreating);
  useEffect(() => {
    if (!sawCreating || isCreating) return;
    setSawCreating(false);
    toast.success('Your site is ready. Open it, or sign in to WordPress and write.');
  }, [sawCreating, isCreating]);
}

/** Nothing is left of the site but the record of what happened. */
export function CreateFailed({ fqdn, failure }: { fqdn: string; failure: string }) {
  return (
    <>
      <PageHeader title={fqdn} back={<BackLink to="/sites">Sites</BackLink>} />
      <Card>
        <div role="alert">
          <Empty
            icon={<WarningIcon />}
            title="The site could not be created"
            action={
              <Link to="/sites/new" className={buttonStyle()}>
                Try again
              </Link>
            }
          >
            {failure} The name is free again.
          </Empty>
        </div>
      </Card>
    </>
  );
}

/** What has the site to itself; afterwards, to whoever watched, why it failed if it did. */
export function WorkNote({ site }: { site: Site }) {
  const [sawBusy, setSawBusy] = useState(false);
  if (site.busy !== null && !sawBusy) setSawBusy(true);
  const event = useSiteEvents(site.id).find(
    (item) => isRunning(item) || ['site.updated', 'stage.created', 'git.synced'].includes(item.event_type),
  );
  if (!site.team.is_active || site.team.is_expired)
    return (
      <Alert
        tone="danger"
        className="mb-6"
        action={site.team.is_active && <PlanLink team={{ id: site.team_id, name: site.team.name }} />}
      >
        {site.team.name} is {site.team.is_active ? 'unpaid' : 'suspended'}, so visitors see a page that says so.
      </Alert>
    );
  const { step, failure } = event ? detailOf(event) : {};
  if (site.busy !== null)
    return (
      <div
        role="status"
        className="mb-6 flex items-center gap-2.5 rounded-lg bg-warn-soft px-3.5 py-2.5 text-warn-text"
      >
        <Spinner /> {stateOf(site).label}
        {step && `: ${step}`}.{' '}
        {site.busy === 'staging' ? 'The site goes on.' : 'Visitors wait for the moment that it takes.'}
        {site.busy === 'restoring' && (
          <Link
            to="/sites/$fqdn/time"
            params={{ fqdn: site.fqdn }}
            className="ml-auto rounded font-medium underline underline-offset-4"
          >
            See how far it is
          </Link>
        )}
      </div>
    );
  return sawBusy && failure ? (
    <Alert tone="danger" className="mb-6">
      {failure}
    </Alert>
  ) : null;
}
