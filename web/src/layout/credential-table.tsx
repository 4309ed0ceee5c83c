import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { teamsQuery } from '../api/teams.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmAction } from '../ui/confirm-action.tsx';
import { TrashIcon } from '../ui/icons.ts';
import { Table, Td, Th } from '../ui/table.tsx';
import { DateOnly, Time } from '../ui/time.tsx';

type CredentialTableProps = {
  label: string;
  what: string;
  /** The rows; where each may act is told by the table, which knows the teams. */
  children: (reachOf: (teamId: string | null) => string) => ReactNode;
};

/** What may act in somebody's name, whether they made it or let it in. */
export function CredentialTable({ label, what, children }: CredentialTableProps) {
  const teams = useQuery(teamsQuery(1, 100)).data?.results ?? [];
  const reachOf = (teamId: string | null) =>
    teamId === null ? 'All your teams' : `Only ${teams.find(({ id }) => id === teamId)?.name ?? 'one team'}`;
  return (
    <Table
      label={label}
      head={
        <>
          <Th>{what}</Th>
          <Th className="max-sm:hidden">May</Th>
          <Th className="max-md:hidden">Last used</Th>
          <Th className="max-md:hidden">Expires</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {children(reachOf)}
    </Table>
  );
}

interface CredentialRowProps {
  name: string;
  credential: {
    scopes: readonly string[];
    created_at: string;
    last_used_at: string | null;
    expires_at: string | null;
  };
  /** Where it may act. */
  reach: string;
  /** How it began: "made", "connected". */
  begun: string;
  /** The verb that ends it, and what that means. */
  action: string;
  warning: string;
  onEnd: () => Promise<void>;
}

export function CredentialRow({ name, credential, reach, begun, action, warning, onEnd }: CredentialRowProps) {
  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-muted text-xs">
          {reach} · {begun} <DateOnly iso={credential.created_at} />
        </p>
        {/* What has a column of its own where there is room. */}
        <p className="text-muted text-xs md:hidden">
          <span className="sm:hidden">May {credential.scopes.join(', ')} · </span>
          {credential.expires_at ? (
            <>
              expires <DateOnly iso={credential.expires_at} />
            </>
          ) : (
            'never expires'
          )}
        </p>
      </Td>
      <Td className="max-sm:hidden">
        <div className="flex gap-1.5">
          {credential.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </div>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        {credential.last_used_at ? <Time iso={credential.last_used_at} /> : 'Never'}
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        {credential.expires_at ? <DateOnly iso={credential.expires_at} /> : 'Never'}
      </Td>
      <Td className="text-right">
        <ConfirmAction
          trigger={
            <Button variant="ghost" size="icon" aria-label={`${action} ${name}`}>
              <TrashIcon />
            </Button>
          }
          title={`${action} “${name}”?`}
          action={action}
          onConfirm={onEnd}
        >
          {warning}
        </ConfirmAction>
      </Td>
    </tr>
  );
}
