import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { openInTab } from '../../layout/open-in-tab.ts';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { KeyIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';

type SignInButtonProps = { site: Site; stage: boolean; children: string };

/** Opens wp-admin in a tab of its own, of the site or of its stage. */
export function SignInButton({ site, stage, children }: SignInButtonProps) {
  const [pending, setPending] = useState(false);
  const obstacle = obstaclesOf(site, useMe()).signIn;

  async function signIn() {
    setPending(true);
    try {
      await openInTab(() => api.createSiteLogin({ params: { fqdn: site.fqdn }, query: { stage } }));
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Button pending={pending} disabled={obstacle !== undefined} title={obstacle} onClick={() => void signIn()}>
      <KeyIcon /> {children}
    </Button>
  );
}
