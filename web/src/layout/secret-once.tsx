import { Alert } from '../ui/alert.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { CancelButton, DialogActions } from '../ui/dialog.tsx';

/** A secret that was just made, inside the dialog that made it: it can be copied now and never again. */
export function SecretOnce({ secret, copyLabel, warning }: { secret: string; copyLabel: string; warning: string }) {
  return (
    <div className="grid gap-5">
      <div className="flex items-center gap-2 rounded-lg border border-line bg-raised py-2 pr-2 pl-3">
        <code className="min-w-0 flex-1 select-all break-all font-mono text-xs">{secret}</code>
        <CopyButton text={secret} label={copyLabel} />
      </div>
      <Alert tone="warn">{warning}</Alert>
      <DialogActions>
        <CancelButton>Done</CancelButton>
      </DialogActions>
    </div>
  );
}
