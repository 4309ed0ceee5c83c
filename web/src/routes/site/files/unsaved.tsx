import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ConfirmAction } from '../../../ui/confirm-action.tsx';

/** Nobody loses what they wrote by a slip: another file, another tab and another page are asked about, and the browser asks about its own. */
export function useUnsaved(
  isDirty: boolean,
  onDiscard: () => void,
): { before: (act: () => void) => void; question: ReactNode } {
  const [waiting, setWaiting] = useState<{ act: () => void }>();
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const isAsking = waiting !== undefined || blocker.status === 'blocked';
  return {
    before: (act) => (isDirty ? setWaiting({ act }) : act()),
    question: (
      <ConfirmAction
        open={isAsking}
        onOpenChange={(open) => {
          if (open) return;
          setWaiting(undefined);
          blocker.reset?.();
        }}
        title="Leave without saving?"
        action="Discard changes"
        onConfirm={async () => {
          onDiscard();
          waiting?.act();
          setWaiting(undefined);
          blocker.proceed?.();
        }}
      >
        What you changed in this file is not saved.
      </ConfirmAction>
    ),
  };
}
