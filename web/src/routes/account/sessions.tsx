import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '#sdk';
import { api } from '../../api/client.ts';
import { Listing } from '../../layout/listing.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SystemIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { sessionsQuery } from './account-queries.ts';

const currentFirst = (one: Session, other: Session) => Number(other.is_current) - Number(one.is_current);

export function Sessions() {
  const [page, setPage] = useState(1);
  const query = useQuery(sessionsQuery(page));
  const queryClient = useQueryClient();

  async function endOthers() {
    await api.deleteOtherSessions();
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    toast.success('You are signed out everywhere else.');
  }

  return (
    <Section
      title="Sessions"
      description="Every browser that is signed in to your account. A session ends by itself after 14 days."
      action={
        query.data && query.data.count > 1 ? (
          <ConfirmAction
            trigger={<Button variant="secondary">Sign out everywhere else</Button>}
            title="Sign out everywhere else?"
            action="Sign out"
            onConfirm={endOthers}
          >
            Every other browser is signed out at once. Open terminals there close. API tokens and connected programs go
            on.
          </ConfirmAction>
        ) : undefined
      }
      flush
    >
      <Listing query={query} onPage={setPage} empty={<Empty icon={<SystemIcon />} title="No sessions" />}>
        {(sessions) => (
          <Table
            label="Sessions"
            head={
              <>
                <Th>Browser</Th>
                <Th className="max-sm:hidden">Address</Th>
                <Th className="max-md:hidden">Last used</Th>
                <Th className="max-md:hidden">Signed in</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {sessions.toSorted(currentFirst).map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function SessionRow({ session }: { session: Session }) {
  const queryClient = useQueryClient();
  const name = session.browser ?? 'Unknown program';
  const used = session.is_current ? 'Now' : session.last_used_at ? <Time iso={session.last_used_at} /> : 'Never';

  async function end() {
    await api.deleteSession({ params: { session_id: session.id } });
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    toast.success('That browser is signed out.');
  }

  return (
    <tr>
      <Td className="w-full max-w-0">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="truncate font-medium">{name}</span>
          {session.is_current && <Badge tone="accent">This browser</Badge>}
        </div>
        <p className="mt-0.5 truncate text-muted text-xs md:hidden">
          <span className="sm:hidden">{session.address} · </span>
          {used}
        </p>
      </Td>
      <Td className="whitespace-nowrap font-mono text-muted text-xs max-sm:hidden">{session.address ?? 'Not known'}</Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">{used}</Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <DateOnly iso={session.created_at} />
      </Td>
      <Td className="text-right">
        {!session.is_current && (
          <ConfirmAction
            trigger={
              <Button
                variant="secondary"
                size="sm"
                aria-label={`Sign out ${name}, ${session.address ?? 'unknown address'}`}
              >
                Sign out
              </Button>
            }
            title={`Sign out ${name}?`}
            action="Sign out"
            onConfirm={end}
          >
            It is signed out at once, and open terminals there close.
          </ConfirmAction>
        )}
      </Td>
    </tr>
  );
}
