import type { ReactNode } from 'react';
import type { Team } from '#sdk';
import { Alert } from '../ui/alert.tsx';

type StorageWarningProps = { team: Team; action?: ReactNode; className?: string };

/** Says why WordPress takes no uploads, and what to do. */
export function StorageWarning({ team, action, className }: StorageWarningProps) {
  if (!team.storage_is_used_up) return null;
  return (
    <Alert tone="warn" action={action} className={className}>
      The storage of {team.name} is used up, so new uploads are refused. Delete something or choose a larger plan, and
      uploads work again within minutes. A site that was deleted counts for seven more days.
    </Alert>
  );
}
