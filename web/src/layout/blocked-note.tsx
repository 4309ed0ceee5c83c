import { Alert } from '../ui/alert.tsx';

/** Says once, above what is disabled, why it is. */
export function BlockedNote({ reason }: { reason: string | undefined }) {
  return reason && <Alert>{reason}</Alert>;
}
