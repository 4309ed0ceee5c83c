import { useQuery } from '@tanstack/react-query';
import type { Team, TeamBilling } from '#sdk';
import type { Limits } from '../../api/plans.ts';
import { atLeast } from '../../api/roles.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { StorageWarning } from '../../layout/storage-warning.tsx';
import { UsageMeters } from '../../layout/usage-meters.tsx';
import { Section } from '../../ui/card.tsx';
import { capitalise, formatAmount, formatPrice } from '../../ui/format.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { Traffic } from '../../usage/traffic.tsx';
import { teamRanges, teamUsageQuery } from '../../usage/usage-queries.ts';
import { AdditionalSites } from './additional-sites.tsx';
import { Bills } from './bills.tsx';
import { ChoosePlan } from './choose-plan.tsx';
import { Forecast } from './forecast.tsx';
import { limitsOf } from './limits.ts';
import { ManageBillingButton } from './manage-billing.tsx';
import { PlanState } from './plan-state.tsx';
import { SiteUse } from './site-use.tsx';
import { teamBillingQuery } from './team-queries.ts';

/** What is paid for is shown to admins and the owner; how much is used, to everybody in the team. */
export function TeamPlan({ team }: { team: Team }) {
  return (
    <div className="grid grid-cols-1 gap-6">
      {atLeast(team.role, 'admin') ? <Billed team={team} /> : <Unbilled team={team} />}
      <Traffic ranges={teamRanges(team.cycle_start)} queryOf={(range) => teamUsageQuery(team.id, range)} />
      <SiteUse team={team} />
      {team.role === 'owner' && <Paying team={team} />}
    </div>
  );
}

function Billed({ team }: { team: Team }) {
  const query = useQuery(teamBillingQuery(team.id));
  const isOwner = team.role === 'owner';
  return (
    <Loaded query={query} loading={<BillingLoading />}>
      {(billing) => (
        <>
          <CurrentPlan
            name={billing.plan_name}
            price={describePrice(billing)}
            action={isOwner && billing.provider !== null && <ManageBillingButton />}
          >
            <PlanState billing={billing} isOwner={isOwner} />
            <Owner team={team} />
          </CurrentPlan>
          <Usage team={team} limits={billing.limits} cycleEnd={billing.cycle_end}>
            <Forecast billing={billing} />
          </Usage>
        </>
      )}
    </Loaded>
  );
}

/** What is bought and how it is paid, below what it is used for. */
function Paying({ team }: { team: Team }) {
  const { data: billing } = useQuery(teamBillingQuery(team.id));
  if (!billing) return null;
  return (
    <>
      {billing.provider !== null && (billing.interval !== null || team.sub_id !== null) && <Bills team={team} />}
      <ChoosePlan team={team} billing={billing} />
      {billing.provider !== null && billing.interval !== null && (
        <AdditionalSites key={billing.additional_sites} team={team} billing={billing} />
      )}
    </>
  );
}

function Unbilled({ team }: { team: Team }) {
  return (
    <>
      <CurrentPlan name={team.plan_type_name}>
        <Owner team={team} />
      </CurrentPlan>
      <Usage team={team} limits={limitsOf(team)} cycleEnd={team.cycle_end} />
    </>
  );
}

function describePrice({ price_cents, currency, interval, additional_sites }: TeamBilling): string {
  const price = formatPrice(price_cents, currency, interval);
  return additional_sites === 0 ? price : `${price}, with ${formatAmount(additional_sites, 'additional site')}`;
}

type CurrentPlanProps = { name: string; price?: string; action?: React.ReactNode; children: React.ReactNode };

function CurrentPlan({ name, price, action, children }: CurrentPlanProps) {
  return (
    <Section title="Plan" action={action}>
      <p className="font-semibold text-2xl tracking-tight">
        {capitalise(name)}
        {price && name !== 'free' && (
          <span className="ml-2 font-normal text-base text-muted tracking-normal">{price}</span>
        )}
      </p>
      <div className="mt-2 grid gap-2">{children}</div>
    </Section>
  );
}

function Owner({ team }: { team: Team }) {
  if (team.role === 'owner') return null;
  return (
    <p className="text-muted">
      {team.user.full_name} owns the team and looks after its plan:{' '}
      <a href={`mailto:${team.user.email}`} className="rounded underline underline-offset-4 hover:no-underline">
        {team.user.email}
      </a>
    </p>
  );
}

type UsageProps = { team: Team; limits: Limits; cycleEnd: string | null; children?: React.ReactNode };

function Usage({ team, limits, cycleEnd, children }: UsageProps) {
  return (
    <Section
      title="Usage"
      description={
        cycleEnd && (
          <>
            Visits and bandwidth start over on <DateOnly iso={cycleEnd} />. Going over them never takes a site offline.
          </>
        )
      }
    >
      <StorageWarning team={team} className="mb-6" />
      <div className="grid gap-x-8 gap-y-6 md:grid-cols-2">
        <UsageMeters limits={limits} />
      </div>
      {children && <div className="mt-6 border-line border-t pt-4">{children}</div>}
    </Section>
  );
}

function BillingLoading() {
  return (
    <div role="status" className="grid gap-6">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-32 rounded-xl" />
      <Skeleton className="h-44 rounded-xl" />
    </div>
  );
}
