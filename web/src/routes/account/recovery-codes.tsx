import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CancelButton, DialogActions } from '../../ui/dialog.tsx';
import { DownloadIcon } from '../../ui/icons.ts';

/** Codes that were just made, inside the dialog that made them: they are shown now and never again. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = `${codes.join('\n')}\n`;
  function download() {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    Object.assign(document.createElement('a'), { href: url, download: 'siteyard-recovery-codes.txt' }).click();
    URL.revokeObjectURL(url);
  }
  return (
    <div className="grid gap-5">
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-4 gap-y-1.5 rounded-lg border border-line bg-raised px-4 py-3 text-center font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code} className="select-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy the codes" />
        <Button variant="secondary" size="sm" onClick={download}>
          <DownloadIcon /> Download
        </Button>
      </div>
      <Alert tone="warn">
        Each opens your account once when your phone or key is lost. Keep them where you keep passwords, not on that
        device.
      </Alert>
      <DialogActions>
        <CancelButton variant="primary">I have saved them</CancelButton>
      </DialogActions>
    </div>
  );
}
