import { Alert } from '../ui/alert.tsx';
import { CopyLine } from '../ui/copy-line.tsx';
import { CancelButton, DialogActions } from '../ui/dialog.tsx';

/** A secret that was just made, inside the dialog that made it: it can be copied now and never again. */
export function SecretOnce({ secret, copyLabel, warning }: { secret: string; copyLabel: string; warning: string }) {
  return (
    <div className="grid gap-5">
      {/* The form that the focus was in is gone. */}
      <CopyLine text={secret} label={copyLabel} autoFocus />
      <Alert tone="warn">{warning}</Alert>
      <DialogActions>
        <CancelButton>Done</CancelButton>
      </DialogActions>
    </div>
  );
}
