import type { PitRestore, Site } from '#sdk';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { UndoIcon } from '../../ui/icons.ts';
import { Moment } from '../../ui/time.tsx';
import { useBeginRestore } from './restores.ts';
import type { RestoreWish } from './time-queries.ts';

type UndoButtonProps = { site: Site; wish: RestoreWish; onBegun: (restore: PitRestore) => void };

/** Asks for confirmation before it undoes a restore, since later changes are undone with it. */
export function UndoButton({ site, wish, onBegun }: UndoButtonProps) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const begin = useBeginRestore(site.fqdn);
  return (
    <ConfirmAction
      title="Undo this restore?"
      action="Undo restore"
      trigger={
        <Button variant="secondary" size="sm" disabled={obstacle !== undefined}>
          <UndoIcon /> Undo
        </Button>
      }
      onConfirm={async () => onBegun(await begin(wish))}
    >
      The site goes back to <Moment iso={wish.restore_point} />, right before it was restored. Changes since then are
      replaced; they stay in a backup, so you can undo this too.
    </ConfirmAction>
  );
}
