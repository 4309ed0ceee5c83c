import { Link } from '@tanstack/react-router';
import type { Team } from '#sdk';
import { roleLabel } from '../../api/roles.ts';
import { Section } from '../../ui/card.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { capitalise, formatBytes, formatCount } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { TeamSettings } from './team-settings.tsx';

export function TeamOverview({ team }: { team: Team }) {
  return (
    <div className="grid gap-6 lg:grid-cols-3">
      <Usage team={team} />
      <Plan team={team} />
      <div className="lg:col-span-3">
        <TeamSettings team={team} editable={team.role === 'owner'} />
      </div>
    </div>
  );
}

function Usage({ team }: { team: Team }) {
  const plan = team.plan_type;
  return (
    <Section
      title="Usage"
      className="lg:col-span-2"
      description={
        team.cycle_end ? (
          <>
            This cycle ends on <DateOnly iso={team.cycle_end} />.
          </>
        ) : undefined
      }
    >
      <div className="grid gap-6">
        <Meter
          label="Visits"
          percentage={team.visits_usage_percentage}
          text={`${formatCount(team.current_cycle_visits)} of ${formatCount(plan.visits)}`}
        />
        <Meter
          label="Bandwidth"
          percentage={percentageOf(team.current_cycle_bandwidth, plan.bandwidth_bytes)}
          text={`${formatBytes(team.current_cycle_bandwidth)} of ${formatBytes(plan.bandwidth_bytes)}`}
        />
        <Meter
          label="Storage"
          percentage={team.storage_usage_percentage}
          text={`${formatBytes(team.storage_usage)} of ${formatBytes(plan.storage_bytes)}`}
        />
      </div>
    </Section>
  );
}

function Plan({ team }: { team: Team }) {
  const rows: [string, React.ReactNode][] = [
    ['Plan', capitalise(team.plan_type_name)],
    ['Price', formatPrice(team)],
    [
      'Sites',
      <Link
        key="sites"
        to="/sites"
        search={{ team: team.id }}
        className="rounded underline underline-offset-4 hover:no-underline"
      >
        Up to {formatCount(team.plan_type.sites + (team.additional_sites ?? 0))}
      </Link>,
    ],
    ['Owner', team.user.full_name],
    ['Your role', team.role ? roleLabel(team.role) : 'None'],
    ['Created', <DateOnly key="created" iso={team.created_at} />],
    [
      'Identifier',
      <code key="tenant" className="font-mono text-xs">
        {team.tenant_id}
      </code>,
    ],
  ];
  return (
    <Section title="Plan">
      <Definitions rows={rows} />
    </Section>
  );
}

function formatPrice({ plan_type: plan, interval }: Team): string {
  const yearly = interval === 'year';
  const cents = yearly ? plan.price_year_cents : plan.price_month_cents;
  if (cents === 0) return 'Free';
  const price = new Intl.NumberFormat('en', { style: 'currency', currency: plan.currency, minimumFractionDigits: 0 });
  return `${price.format(cents / 100)} a ${yearly ? 'year' : 'month'}`;
}

function percentageOf(used: number, allowed: number): number {
  return allowed > 0 ? Math.round((used / allowed) * 100) : 0;
}
