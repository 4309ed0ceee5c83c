import { useMutation } from '@tanstack/react-query';
import type { PitRestore, Site } from '#sdk';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { UndoIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';
import { useBeginRestore } from './restores.ts';
import type { RestoreWish } from './time-queries.ts';

type UndoButtonProps = { site: Site; wish: RestoreWish; onBegun: (restore: PitRestore) => void };

/** For whoever may; a viewer sees nothing of it. */
export function UndoButton({ site, wish, onBegun }: UndoButtonProps) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const begin = useBeginRestore(site.fqdn);
  const undo = useMutation({
    mutationFn: () => begin(wish),
    onSuccess: onBegun,
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Button
      variant="secondary"
      size="sm"
      pending={undo.isPending}
      disabled={obstacle !== undefined}
      onClick={() => undo.mutate()}
    >
      <UndoIcon /> Undo
    </Button>
  );
}
