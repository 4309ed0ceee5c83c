import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EyeIcon, EyeOffIcon } from '../../ui/icons.ts';

/** A password that is shown when somebody wants to see it; empty for whoever may not. */
export function SecretValue({ password }: { password: string }) {
  const [shown, setShown] = useState(false);
  if (password === '') return <span className="text-muted">Only members, admins and the owner see it.</span>;
  return (
    <>
      <code className="min-w-0 break-all font-mono">{shown ? password : '•'.repeat(12)}</code>
      <span className="flex gap-1">
        <Button
          variant="ghost"
          size="icon"
          aria-label="Show the password"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOffIcon /> : <EyeIcon />}
        </Button>
        <CopyButton text={password} label="Copy the password" />
      </span>
    </>
  );
}
