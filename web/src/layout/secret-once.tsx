import { Alert } from '../ui/alert.tsx';
import { CopyLine } from '../ui/copy-line.tsx';
import { CancelButton, DialogActions } from '../ui/dialog.tsx';

/** A secret that was just created, inside the dialog (`isSecret`) that created it: it cannot be shown again. */
export function SecretOnce({ secret, copyLabel, warning }: { secret: string; copyLabel: string; warning: string }) {
  return (
    <div className="grid gap-5">
      <CopyLine text={secret} label={copyLabel} autoFocus />
      <Alert tone="warn">{warning}</Alert>
      <DialogActions>
        <CancelButton variant="primary">I have saved it</CancelButton>
      </DialogActions>
    </div>
  );
}
