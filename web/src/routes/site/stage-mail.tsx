import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { HeldMail, Site } from '#sdk';
import { Listing } from '../../layout/listing.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { MailIcon } from '../../ui/icons.ts';
import { Time } from '../../ui/time.tsx';
import { stageMailQuery } from './site-queries.ts';

export function StageMail({ site }: { site: Site }) {
  const [page, setPage] = useState(1);
  const query = useQuery(stageMailQuery(site.fqdn, page));
  return (
    <Section title="Mail that was held back" description="What the staging site wanted to send. Nobody got it." flush>
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<MailIcon />} title="Nothing yet">
            Orders, sign-ups and comments on the staging site can be tried without writing to anybody.
          </Empty>
        }
      >
        {(mails) => (
          <ul className="divide-y divide-line">
            {mails.map((mail) => (
              <Mail key={mail.id} mail={mail} />
            ))}
          </ul>
        )}
      </Listing>
    </Section>
  );
}

function Mail({ mail }: { mail: HeldMail }) {
  return (
    <li>
      <details>
        <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-3 px-5 py-3 hover:bg-raised">
          <span className="min-w-0 flex-1 truncate font-medium">{mail.subject || 'Without a subject'}</span>
          <span className="truncate text-muted">{mail.recipients.join(', ')}</span>
          <span className="text-muted">
            <Time iso={mail.written_at} />
          </span>
        </summary>
        <pre className="whitespace-pre-wrap break-words px-5 pb-4 font-sans">{textOf(mail)}</pre>
      </details>
    </li>
  );
}

/** A parsed document runs nothing and loads nothing. */
function textOf({ text, html }: HeldMail): string {
  if (text.trim() !== '' || html === null) return text;
  return new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '';
}
