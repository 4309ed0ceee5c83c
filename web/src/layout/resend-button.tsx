import { useState } from 'react';
import { api } from '../api/client.ts';
import { messageOf } from '../ui/form.tsx';
import { toast } from '../ui/toast.tsx';

/** Mails the verification link again to whoever is signed in. */
export function ResendButton({ className }: { className?: string }) {
  const [pending, setPending] = useState(false);
  async function send() {
    setPending(true);
    try {
      await api.verifyEmail({ body: {} });
      toast.success('The link is on its way. Check your inbox.');
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setPending(false);
    }
  }
  return (
    <button type="button" disabled={pending} onClick={() => void send()} className={className}>
      {pending ? 'Sending…' : 'Send it again'}
    </button>
  );
}
