import { Link, type LinkProps } from '@tanstack/react-router';
import type { Team, TeamAttention } from '#sdk';
import { siteLink } from '../../layout/site-link.ts';
import { Section } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { formatAmount } from '../../ui/format.ts';
import { CheckCircleIcon, ChevronRightIcon, WarningIcon } from '../../ui/icons.ts';
import { Time } from '../../ui/time.tsx';

type Item = TeamAttention['items'][number];

/** What somebody of the team should look at, worst first, each with the way to where it is mended. */
export function Attention({ team, items }: { team: Team; items: Item[] }) {
  if (items.length === 0)
    return (
      <p className="flex items-center gap-2.5 rounded-xl border border-line bg-surface px-5 py-4 shadow-card">
        <CheckCircleIcon className="size-4.5 text-accent-text" /> Nothing needs your attention.
      </p>
    );
  return (
    <Section title="Needs attention" flush>
      <ul className="divide-y divide-line">
        {items.map((item) => (
          <li
            key={`${item.kind} ${item.fqdn} ${item.name}`}
            className="relative flex gap-3 px-5 py-3.5 hover:bg-raised/60"
          >
            <WarningIcon
              className={cx('mt-0.5 size-4.5', item.severity === 'danger' ? 'text-danger-text' : 'text-warn-text')}
            />
            <div className="min-w-0 flex-1">
              <p className="font-medium">
                <Link {...linkOf(item, team)} className="rounded after:absolute after:inset-0">
                  {titleOf(item, team)}
                </Link>
              </p>
              <p className="text-muted text-xs leading-5">
                {hintOf(item, team)}
                {item.since && (
                  <>
                    {' First seen '}
                    <Time iso={item.since} />.
                  </>
                )}
              </p>
            </div>
            <ChevronRightIcon className="mt-0.5 text-muted" />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function titleOf({ kind, fqdn, sites, name, twin, severity }: Item, team: Team): string {
  if (kind === 'payment')
    return severity === 'danger' ? `${team.name} is unpaid, and its sites are off` : `A payment of ${team.name} failed`;
  if (kind === 'storage') return `The storage of ${team.name} is used up`;
  if (kind === 'errors') return `${fqdn} fails for its visitors`;
  if (kind === 'backup') return `Backups of ${fqdn} are failing`;
  const where = fqdn ?? formatAmount(sites, 'site');
  if (kind === 'security') return `A security update of WordPress waits on ${where}`;
  if (kind === 'updates') return `Updates wait on ${where}`;
  const domain = twin === null ? (name ?? fqdn) : `${name} and ${twin}`;
  if (kind === 'certificate') return `${domain} ${twin === null ? 'gets' : 'get'} no certificate`;
  return `${domain} ${twin === null ? 'does' : 'do'} not point here yet`;
}

function hintOf({ kind, reason }: Item, team: Team): string {
  if (kind === 'payment') return 'Pay to keep the sites of the team online.';
  if (kind === 'storage') return 'Sites cannot save anything until there is room again.';
  if (kind === 'errors') return 'The last pages that visitors asked for ended with an error.';
  if (kind === 'dns') return 'Its DNS records point elsewhere.';
  if (kind === 'security' && team.update_policy !== 'off')
    return 'Siteyard makes it in one of the coming nights. You can do it now.';
  if (kind === 'security') return 'Automatic updates are off in this team, so somebody has to do it.';
  if (kind === 'updates') return 'Plugins, themes or WordPress. An update that breaks a page is rolled back.';
  return reason ?? 'Siteyard keeps trying.';
}

function linkOf({ kind, fqdn }: Item, team: Team): LinkProps {
  if (kind === 'security' || kind === 'updates')
    return fqdn === null
      ? { to: '/sites', search: { state: kind === 'security' ? 'insecure' : 'outdated' } }
      : siteLink(fqdn, 'plugins', false);
  if (fqdn === null) return { to: '/teams/$teamId/$page', params: { teamId: team.id, page: 'billing' } };
  if (kind === 'errors') return siteLink(fqdn, 'logs', false);
  return siteLink(fqdn, kind === 'backup' ? 'time' : 'domains', false);
}
