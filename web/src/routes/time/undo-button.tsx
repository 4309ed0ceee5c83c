import { useMutation } from '@tanstack/react-query';
import type { PitRestore, Site } from '#sdk';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { messageOf } from '../../ui/form.tsx';
import { formatMoment } from '../../ui/format-time.ts';
import { UndoIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';
import { useBeginRestore } from './restores.ts';
import type { RestoreWish } from './time-queries.ts';

type UndoButtonProps = {
  site: Site;
  wish: RestoreWish;
  onBegun: (restore: PitRestore) => void;
  /** A restore of a while ago: what came since goes with it, so that is said first. */
  asks?: boolean;
};

/** For whoever may; a viewer sees nothing of it. */
export function UndoButton({ site, wish, onBegun, asks = false }: UndoButtonProps) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const begin = useBeginRestore(site.fqdn);
  const undo = useMutation({
    mutationFn: () => begin(wish),
    onSuccess: onBegun,
    onError: (error) => toast.error(messageOf(error)),
  });
  const button = (
    <Button
      variant="secondary"
      size="sm"
      pending={undo.isPending}
      disabled={obstacle !== undefined}
      onClick={asks ? undefined : () => undo.mutate()}
    >
      <UndoIcon /> Undo
    </Button>
  );
  if (!asks) return button;
  return (
    <ConfirmAction
      title="Undo this restore?"
      action="Undo the restore"
      trigger={button}
      onConfirm={async () => onBegun(await begin(wish))}
    >
      The site goes back to {formatMoment(wish.restore_point)}, right before it was restored. Whatever changed since
      then is replaced; it is kept, so this can be undone too.
    </ConfirmAction>
  );
}
