import { useState } from 'react';
import { HelpResults } from '../../layout/help-search.tsx';
import { Card } from '../../ui/card.tsx';
import { useTitle } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { OwnTickets } from './own-tickets.tsx';

export function TicketsPage() {
  useTitle('Support');
  return (
    <OwnTickets isChosen={false}>
      <Help />
    </OwnTickets>
  );
}

const topics = [
  { href: '/docs/time-machine', label: 'Bring a site back to a minute' },
  { href: '/docs/domains', label: 'Point a domain here' },
  { href: '/docs/staging', label: 'Try changes on a staging site' },
  { href: '/docs/billing', label: 'Plans and invoices' },
];

/** Most questions have an answer already; a ticket is for the others. */
function Help() {
  const [words, setWords] = useState('');
  return (
    <Card className="px-5 py-10 sm:px-10">
      <div className="mx-auto grid max-w-xl gap-4">
        <div className="text-center">
          <h2 className="font-semibold text-lg tracking-tight">How can we help?</h2>
          <p className="mt-1 text-muted">Search the docs first. If the answer is not there, ask us in a ticket.</p>
        </div>
        <SearchInput label="Search the docs" value={words} onChange={setWords} />
        <HelpResults words={words} title="From the docs" />
        <ul className="flex flex-wrap justify-center gap-2">
          {topics.map(({ href, label }) => (
            <li key={href}>
              <a
                href={href}
                className="inline-flex h-8 items-center rounded-full border border-line px-3 text-muted text-xs hover:bg-raised hover:text-fg"
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
