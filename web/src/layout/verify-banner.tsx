import { useMe } from '../api/session.ts';
import { Alert } from '../ui/alert.tsx';
import { ResendButton } from './resend-button.tsx';

export function VerifyBanner() {
  const me = useMe();
  if (me.is_verified) return null;
  return (
    <Alert
      tone="warn"
      className="mb-8"
      action={<ResendButton className="rounded font-medium underline underline-offset-4" />}
    >
      Confirm your address with the link we mailed to <strong className="font-medium">{me.email}</strong>. Until then
      you cannot open a terminal or the code editor, invite people, add webhooks, application passwords and Git
      accounts, or send paths of a site elsewhere. Scheduled work and mail of your sites wait, too.
    </Alert>
  );
}
