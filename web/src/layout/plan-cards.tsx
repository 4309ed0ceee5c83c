import { useId } from 'react';
import type { Plan } from '#sdk';
import { type Interval, isInterval, type PlanName } from '../api/plans.ts';
import { Badge } from '../ui/badge.tsx';
import { Choice, ChoiceGroup } from '../ui/choice.tsx';
import { cx } from '../ui/cx.ts';
import { capitalise, formatAmount, formatBytes, formatCount, formatMoney, formatPrice } from '../ui/format.ts';
import { Segmented } from '../ui/segmented.tsx';

type IntervalSwitchProps = { plans: Plan[]; interval: Interval; onChange: (interval: Interval) => void };

export function IntervalSwitch({ plans, interval, onChange }: IntervalSwitchProps) {
  const saved = Math.max(...plans.map(savedByYear));
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Segmented
        label="Billed"
        value={interval}
        onChange={(next) => isInterval(next) && onChange(next)}
        options={[
          { value: 'month', label: 'Monthly' },
          { value: 'year', label: 'Yearly' },
        ]}
      />
      {saved > 0 && <span className="text-muted text-xs">A year costs {saved}% less.</span>}
    </div>
  );
}

function savedByYear({ price_month_cents: month, price_year_cents: year }: Plan): number {
  return month === 0 ? 0 : Math.round((1 - year / (12 * month)) * 100);
}

const grid = 'grid gap-3 sm:grid-cols-2 xl:grid-cols-4';
const card = 'relative grid min-w-0 content-start gap-4 rounded-xl border border-line bg-surface p-4 text-left';

type PlanCardsProps = { plans: Plan[]; interval: Interval; current?: PlanName };

/** What there is, with the current one marked. */
export function PlanCards({ plans, interval, current }: PlanCardsProps) {
  return (
    <ul className={grid}>
      {plans.map((plan) => (
        <li key={plan.name} className={cx(card, plan.name === current && 'border-accent')}>
          <PlanFigures plan={plan} interval={interval} isCurrent={plan.name === current} />
        </li>
      ))}
    </ul>
  );
}

type PlanChoiceProps = PlanCardsProps & { value: PlanName; onChange: (plan: PlanName) => void };

/** The same to choose from: one stop for the keyboard, the arrows go from plan to plan. */
export function PlanChoice({ plans, interval, current, value, onChange }: PlanChoiceProps) {
  const id = useId();
  return (
    <ChoiceGroup
      label="Plan"
      name="plan_name"
      value={value}
      onChange={(next) => onChange(next as PlanName)}
      className={grid}
    >
      {plans.map((plan) => (
        <Choice
          key={plan.name}
          value={plan.name}
          disabled={plan.name === current}
          aria-labelledby={`${id}-${plan.name}-name`}
          aria-describedby={`${id}-${plan.name}-figures`}
          className={cx(
            card,
            'cursor-pointer select-none hover:not-data-disabled:border-line-strong data-disabled:cursor-default data-checked:border-accent data-disabled:bg-raised data-checked:ring-1 data-checked:ring-accent',
          )}
        >
          <PlanFigures id={`${id}-${plan.name}`} plan={plan} interval={interval} isCurrent={plan.name === current} />
        </Choice>
      ))}
    </ChoiceGroup>
  );
}

type PlanFiguresProps = { id?: string; plan: Plan; interval: Interval; isCurrent: boolean };

function PlanFigures({ id, plan, interval, isCurrent }: PlanFiguresProps) {
  const cents = priceOf(plan, interval);
  return (
    <>
      <div>
        <div className="flex min-h-5.5 items-center justify-between gap-2">
          <span id={id && `${id}-name`} className="font-semibold">
            {capitalise(plan.name)}
          </span>
          {isCurrent && <Badge tone="accent">Current</Badge>}
        </div>
        <p className="mt-2 font-semibold text-xl tabular-nums tracking-tight">
          {formatMoney(cents, plan.currency)}
          {cents > 0 && <span className="font-normal text-muted text-sm tracking-normal"> a {interval}</span>}
        </p>
        <p className="min-h-5 text-muted text-xs leading-5">{cents > 0 && otherPrice(plan, interval)}</p>
      </div>
      <ul id={id && `${id}-figures`} className="grid gap-1.5 text-muted">
        <li>
          <strong className="font-medium text-fg">{formatAmount(plan.sites, 'site')}</strong>
        </li>
        <li>{formatBytes(plan.storage_bytes)} of storage</li>
        <li>{formatCount(plan.visits)} visits a month</li>
        <li>{formatBytes(plan.bandwidth_bytes)} of bandwidth a month</li>
        <li>Go back up to {formatHours(plan.restore_window_hours)}</li>
      </ul>
    </>
  );
}

function otherPrice(plan: Plan, interval: Interval): string {
  if (interval === 'month') return `or ${formatPrice(plan.price_year_cents, plan.currency, 'year')}`;
  return `${formatMoney(Math.round(plan.price_year_cents / 12), plan.currency)} a month`;
}

function formatHours(hours: number): string {
  return hours <= 24 ? `${hours} hours` : `${hours / 24} days`;
}

function priceOf(plan: Plan, interval: Interval): number {
  return interval === 'year' ? plan.price_year_cents : plan.price_month_cents;
}
