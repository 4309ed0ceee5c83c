import { Link, type LinkProps } from '@tanstack/react-router';
import type { Event, Site, Team } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { propertiesOf } from '../../api/sites.ts';
import { siteLink } from '../../layout/site-link.ts';
import { SitePicture } from '../../layout/site-picture.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { CheckCircleIcon, SitesIcon } from '../../ui/icons.ts';

type FirstStepsProps = { team: Team; count: number; newest: Site | undefined; events: Event[] | undefined };

const RESTORES = ['site.restored', 'restore.started', 'restore.preview', 'restore.dry_run'];

/** From the first site to the first look back, for as long as a team is new. */
export function FirstSteps({ team, count, newest, events }: FirstStepsProps) {
  const hasGoneBack = events?.some(({ event_type }) => RESTORES.includes(event_type)) ?? true;
  if (count > 1 || (count === 1 && hasGoneBack)) return null;
  if (!atLeast(team.role, 'member'))
    return count > 0 ? null : (
      <Card>
        <Empty icon={<SitesIcon />} title="No sites yet">
          As a viewer you see the sites of {team.name} here once there are some.
        </Empty>
      </Card>
    );
  const hasChanged = newest !== undefined && (propertiesOf(newest).backup.last_at ?? '') > newest.min_restore_point;
  const steps: { title: string; text: string; isDone: boolean; action: string; to?: LinkProps }[] = [
    {
      title: 'Create your first site',
      text: 'A name and a title are enough: a few seconds later WordPress is running.',
      isDone: count > 0,
      action: 'New site',
      to: { to: '/sites/new', search: { team: team.id } },
    },
    {
      title: 'Change something',
      text: 'Sign in to WordPress with one click and write a post. Each minute is kept.',
      isDone: hasChanged,
      action: 'Open the site',
      ...(newest && { to: siteLink(newest.fqdn, '', false) }),
    },
    {
      title: 'Go back in time',
      text: 'Choose the minute before, look at the site as it was, and restore it. That can be undone as well.',
      isDone: false,
      action: 'Time machine',
      ...(newest && { to: siteLink(newest.fqdn, 'time', false) }),
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Card className="grid overflow-hidden md:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="p-6">
        <h2 className="font-semibold text-lg tracking-tight">
          {count === 0 ? `Welcome to ${team.name}` : 'A few more minutes'}
        </h2>
        <p className="mt-1 text-muted">From nothing to a site that never loses anything.</p>
        <ol className="mt-6 grid gap-5">
          {steps.map((step, index) => (
            <li key={step.title} className="flex gap-3.5">
              {step.isDone ? (
                <CheckCircleIcon className="mt-px size-5 shrink-0 text-accent-text" />
              ) : (
                <span
                  aria-hidden="true"
                  className="mt-px grid size-5 shrink-0 place-items-center rounded-full border border-line-strong font-medium text-muted text-xs"
                >
                  {index + 1}
                </span>
              )}
              <div className="min-w-0">
                <p className="font-medium">
                  {step.title}
                  {step.isDone && <span className="sr-only"> (done)</span>}
                </p>
                <p className="max-w-prose text-muted">{step.text}</p>
                {step === next && step.to && (
                  <Link {...step.to} className={buttonStyle({ className: 'mt-3' })}>
                    {step.action}
                  </Link>
                )}
              </div>
            </li>
          ))}
        </ol>
      </div>
      <div className="plots grid place-items-center border-line bg-raised/40 [--plots-ground:color-mix(in_srgb,var(--raised)_40%,var(--surface))] p-6 max-md:border-t md:border-l">
        {newest ? (
          <div className="w-full">
            <SitePicture site={newest} isFirst className="shadow-pop" />
            <p className="mt-3 truncate text-center text-muted text-xs">{newest.fqdn}</p>
          </div>
        ) : (
          <p className="max-w-44 text-balance text-center text-muted">Your site shows up here once it is running.</p>
        )}
      </div>
    </Card>
  );
}
