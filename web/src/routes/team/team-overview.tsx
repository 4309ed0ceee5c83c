import { Link } from '@tanstack/react-router';
import type { Team } from '#sdk';
import { roleLabel } from '../../api/roles.ts';
import { UsageMeters } from '../../layout/usage-meters.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { capitalise, formatCount } from '../../ui/format.ts';
import { DateOnly } from '../../ui/time.tsx';
import { DeleteTeam } from './delete-team.tsx';
import { limitsOf } from './limits.ts';
import { TeamSettings } from './team-settings.tsx';

export function TeamOverview({ team }: { team: Team }) {
  return (
    <div className="grid gap-6 lg:grid-cols-3">
      <Usage team={team} />
      <About team={team} />
      <div className="lg:col-span-3">
        <TeamSettings team={team} editable={team.role === 'owner'} />
      </div>
      {team.role === 'owner' && (
        <div className="lg:col-span-3">
          <DeleteTeam team={team} />
        </div>
      )}
    </div>
  );
}

function Usage({ team }: { team: Team }) {
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
      action={
        <Link
          to="/teams/$teamId/$page"
          params={{ teamId: team.id, page: 'billing' }}
          className={buttonStyle({ variant: 'secondary', size: 'sm' })}
        >
          Details
        </Link>
      }
    >
      <div className="grid gap-6">
        <UsageMeters limits={limitsOf(team)} />
      </div>
    </Section>
  );
}

function About({ team }: { team: Team }) {
  const { plan_type: plan } = team;
  const rows: [string, React.ReactNode][] = [
    ['Plan', capitalise(plan.name)],
    [
      'Sites',
      <Link
        key="sites"
        to="/sites"
        search={{ team: team.id }}
        className="rounded underline underline-offset-4 hover:no-underline"
      >
        Up to {formatCount(plan.sites + (team.additional_sites ?? 0))}
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
    <Section title="About">
      <Definitions rows={rows} />
    </Section>
  );
}
