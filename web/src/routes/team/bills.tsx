import { useQuery } from '@tanstack/react-query';
import type { Team, TeamBills } from '#sdk';
import { Loaded } from '../../layout/loaded.tsx';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { Section } from '../../ui/card.tsx';
import { capitalise, formatMoney } from '../../ui/format.ts';
import { OpenIcon } from '../../ui/icons.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { ManageBillingButton } from './manage-billing.tsx';
import { teamBillsQuery } from './team-queries.ts';

/** How the plan is paid, and what was billed for it, as the payment provider has it. */
export function Bills({ team }: { team: Team }) {
  const query = useQuery(teamBillsQuery(team.id));
  return (
    <>
      <Section
        title="Payment method"
        action={<ManageBillingButton>{query.data?.card ? 'Change card' : 'Billing portal'}</ManageBillingButton>}
      >
        <Loaded query={query} loading={<Skeleton className="h-5 w-48" />}>
          {({ card, is_yours }) => <p>{card ? <CardLine card={card} /> : <NoCard isYours={is_yours} />}</p>}
        </Loaded>
      </Section>
      <Section title="Invoices" flush>
        <Loaded query={query}>{({ invoices }) => <Invoices invoices={invoices} />}</Loaded>
      </Section>
    </>
  );
}

function CardLine({ card }: { card: NonNullable<TeamBills['card']> }) {
  const expiry = `${String(card.exp_month).padStart(2, '0')}/${String(card.exp_year).slice(-2)}`;
  return (
    <>
      <span className="font-medium">{capitalise(card.brand)}</span> ending in{' '}
      <span className="tabular-nums">{card.last4}</span>
      <span className="text-muted">, good until {expiry}</span>
    </>
  );
}

function NoCard({ isYours }: { isYours: boolean }) {
  return (
    <span className="text-muted">
      {isYours
        ? 'No card yet. You give one when you choose a plan.'
        : 'The owner before you pays until the end of the period. Choose a plan of your own then.'}
    </span>
  );
}

const states: Record<TeamBills['invoices'][number]['status'], { label: string; tone: BadgeTone }> = {
  paid: { label: 'Paid', tone: 'neutral' },
  open: { label: 'Unpaid', tone: 'warn' },
  draft: { label: 'Upcoming', tone: 'neutral' },
  uncollectible: { label: 'Failed', tone: 'danger' },
  void: { label: 'Void', tone: 'neutral' },
};

function Invoices({ invoices }: Pick<TeamBills, 'invoices'>) {
  if (invoices.length === 0) return <p className="px-5 py-4 text-muted">Nothing has been billed yet.</p>;
  return (
    <Table
      label="Invoices"
      head={
        <>
          <Th>Date</Th>
          <Th className="max-sm:hidden">Number</Th>
          <Th>State</Th>
          <Th className="text-right">Amount</Th>
          <Th>
            <span className="sr-only">Invoice</span>
          </Th>
        </>
      }
    >
      {invoices.map((invoice) => (
        <tr key={invoice.id}>
          <Td className="whitespace-nowrap">
            <DateOnly iso={invoice.created_at} />
          </Td>
          <Td className="w-full whitespace-nowrap text-muted max-sm:hidden">{invoice.number}</Td>
          <Td>
            <Badge tone={states[invoice.status].tone}>{states[invoice.status].label}</Badge>
          </Td>
          <Td className="whitespace-nowrap text-right tabular-nums">
            {formatMoney(invoice.total_cents, invoice.currency)}
          </Td>
          <Td className="w-12 text-right">
            {(invoice.url ?? invoice.pdf_url) && (
              <a
                href={invoice.url ?? invoice.pdf_url ?? ''}
                target="_blank"
                rel="noreferrer"
                className="inline-grid size-8 place-items-center rounded-lg text-muted hover:bg-raised hover:text-fg"
              >
                <OpenIcon />
                <span className="sr-only">Open invoice {invoice.number} in a new tab</span>
              </a>
            )}
          </Td>
        </tr>
      ))}
    </Table>
  );
}
