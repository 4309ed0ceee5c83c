import { Link } from '@tanstack/react-router';
import type { Event, Team } from '#sdk';
import { detailOf, progressOf } from '../api/events.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { dateFormat, dayOf } from '../ui/clock.ts';
import { capitalise } from '../ui/format.ts';
import { formatUtc } from '../ui/format-time.ts';
import { Spinner } from '../ui/spinner.tsx';
import { TextWithMoments, Time } from '../ui/time.tsx';
import { siteLink } from './site-link.ts';

const dayFormat = dateFormat({ weekday: 'long', day: 'numeric', month: 'long' });
const hourFormat = dateFormat({ timeStyle: 'short' });

type EventListProps = {
  events: Event[];
  /** Given when it is not clear by itself which team an event belongs to. */
  teams?: Team[] | undefined;
  /** Whether they lead to the pages of operators, who are in no team of them. */
  asOperator?: boolean | undefined;
};

/** Events under the day on which they happened. The same event met twice (pages shift while new ones arrive) shows once. */
export function EventList({ events, teams, asOperator }: EventListProps) {
  const days = new Map<string, { name: string; items: Event[] }>();
  const names = namesToday(events);
  for (const event of new Map(events.map((item) => [item.id, item])).values()) {
    const created = new Date(event.created_at);
    const day = days.get(dayOf(created)) ?? { name: dayName(created), items: [] };
    days.set(dayOf(created), { ...day, items: [...day.items, event] });
  }
  return (
    <div>
      {[...days].map(([day, { name, items }]) => (
        <section key={day} className="border-line not-first:border-t">
          <h2 className="border-line border-b bg-bg/60 px-5 py-2 font-medium text-muted text-xs">{name}</h2>
          <ol className="divide-y divide-line">
            {items.map((event) => (
              <EventRow
                key={event.id}
                event={event}
                siteName={names.get(event.site_live_id ?? '') ?? (event.scope === 'site' ? event.fqdn : null)}
                team={teams?.find(({ id }) => id === event.team_id)}
                asOperator={asOperator}
              />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** A site's events keep the name of then; the newest one at hand tells what it is called now, and where to find it. Those of its staging site have that one's. */
function namesToday(events: Event[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const event of events) {
    const name = detailOf(event).result?.fqdn ?? event.fqdn;
    if (event.scope === 'site' && event.site_live_id && name && !names.has(event.site_live_id))
      names.set(event.site_live_id, name);
  }
  return names;
}

type EventRowProps = {
  event: Event;
  siteName: string | null;
  team: Team | undefined;
  asOperator: boolean | undefined;
};

function EventRow({ event, siteName, team, asOperator }: EventRowProps) {
  const { step = progressOf(event)?.step, failure } = detailOf(event);
  return (
    <li className="flex gap-3 px-5 py-3.5">
      <Avatar name={event.user?.full_name ?? 'Siteyard'} id={event.user_id ?? 'siteyard'} />
      {/* The badge moves below a text that it would leave less than this. */}
      <div className="flex min-w-0 flex-1 flex-wrap gap-x-3 gap-y-1.5">
        <div className="min-w-0 flex-1 basis-52">
          <p className={event.unread ? 'font-medium' : undefined}>
            <EventLink event={event} siteName={siteName} asOperator={asOperator}>
              <TextWithMoments text={event.activity} />
            </EventLink>
          </p>
          {failure && <p className="mt-0.5 text-danger-text">{failure}</p>}
          {!failure && event.description && (
            <p className="mt-0.5 line-clamp-2 text-muted">
              <TextWithMoments text={event.description} />
            </p>
          )}
          <p className="mt-0.5 text-muted text-xs">
            {team && (
              <>
                <Link
                  to="/teams/$teamId"
                  params={{ teamId: team.id }}
                  className="rounded underline-offset-4 hover:text-fg hover:underline"
                >
                  {team.name}
                </Link>
                {' · '}
              </>
            )}
            <EventTime iso={event.created_at} />
            {event.scope === 'site' && event.fqdn !== siteName && ` · as ${event.fqdn}`}
          </p>
        </div>
        {event.finished_at === null && !failure && (
          <div>
            <Badge tone="accent">
              <Spinner className="size-3" /> {step ? capitalise(step) : 'Running'}
            </Badge>
          </div>
        )}
        {failure && (
          <div>
            <Badge tone="danger">Failed</Badge>
          </div>
        )}
      </div>
      {event.unread && (
        <span className="mt-2 size-2 shrink-0 rounded-full bg-accent">
          <span className="sr-only">Unread</span>
        </span>
      )}
    </li>
  );
}

type EventLinkProps = Pick<EventRowProps, 'event' | 'siteName' | 'asOperator'> & { children: React.ReactNode };

function EventLink({ event, siteName, asOperator, children }: EventLinkProps) {
  const style = 'rounded underline-offset-4 hover:underline';
  if (asOperator) return <OperatorLink event={event}>{children}</OperatorLink>;
  if (event.event_type.startsWith('ticket.') && event.event_type !== 'ticket.deleted' && event.item_id)
    return (
      <Link to="/tickets/$ticketId" params={{ ticketId: event.item_id }} className={style}>
        {children}
      </Link>
    );
  const isOfStage = event.scope === 'stage';
  if ((isOfStage || event.scope === 'site') && event.event_type !== 'site.deleted' && siteName)
    return (
      <Link {...siteLink(siteName, '', isOfStage)} className={style}>
        {children}
      </Link>
    );
  if (event.event_type.startsWith('billing.') && event.team_id)
    return (
      <Link to="/teams/$teamId/$page" params={{ teamId: event.team_id, page: 'billing' }} className={style}>
        {children}
      </Link>
    );
  return children;
}

function OperatorLink({ event, children }: { event: Event; children: React.ReactNode }) {
  const style = 'rounded underline-offset-4 hover:underline';
  if (event.event_type.startsWith('ticket.') && event.item_id)
    return (
      <Link to="/operator/tickets/$ticketId" params={{ ticketId: event.item_id }} className={style}>
        {children}
      </Link>
    );
  if (event.site_live_id)
    return (
      <Link to="/operator/sites/$siteId" params={{ siteId: event.site_live_id }} className={style}>
        {children}
      </Link>
    );
  return children;
}

/** The heading names the day, so older ones need only the hour. */
function EventTime({ iso }: { iso: string }) {
  const date = new Date(iso);
  if (dayOf(date) === dayOf(new Date())) return <Time iso={iso} />;
  return (
    <time dateTime={iso} title={formatUtc(iso)}>
      {hourFormat.format(date)}
    </time>
  );
}

function dayName(moment: Date): string {
  const day = dayOf(moment);
  const nowMs = Date.now();
  if (day === dayOf(new Date(nowMs))) return 'Today';
  if (day === dayOf(new Date(nowMs - 86_400_000))) return 'Yesterday';
  return dayFormat.format(moment);
}
