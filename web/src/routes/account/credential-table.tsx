import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { teamsQuery } from '../../api/teams.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';

/** What may act in somebody's name, whether they made it or let it in. */
export function CredentialTable({ label, what, children }: { label: string; what: string; children: ReactNode }) {
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
      {children}
    </Table>
  );
}

interface CredentialRowProps {
  name: string;
  credential: {
    scopes: readonly string[];
    team_id: string | null;
    created_at: string;
    last_used_at: string | null;
    expires_at: string | null;
  };
  /** How it began: "made", "connected". */
  begun: string;
  /** The verb that ends it, and what that means. */
  action: string;
  warning: string;
  onEnd: () => Promise<void>;
}

export function CredentialRow({ name, credential, begun, action, warning, onEnd }: CredentialRowProps) {
  const team = useQuery(teamsQuery(1, 100)).data?.results.find((item) => item.id === credential.team_id);
  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-muted text-xs">
          {team ? `Only ${team.name}` : 'All your teams'} · {begun} <DateOnly iso={credential.created_at} />
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
