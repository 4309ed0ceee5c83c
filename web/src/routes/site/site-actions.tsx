import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { propertiesOf } from '../../api/sites.ts';
import { Button, buttonStyle } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { HistoryIcon, KeyIcon, OpenIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';

export function SiteActions({ site }: { site: Site }) {
  const [pending, setPending] = useState(false);
  const obstacle = obstaclesOf(site, useMe()).signIn;

  async function signIn() {
    // Opened before the answer comes: later, browsers take it for an advertisement.
    const tab = window.open('about:blank', '_blank');
    setPending(true);
    try {
      const { url } = await api.createSiteLogin({ params: { fqdn: site.fqdn } });
      if (!tab) return location.assign(url);
      // What opens there must not reach back into the dashboard.
      tab.opener = null;
      tab.location.replace(url);
    } catch (error) {
      tab?.close();
      toast.error(messageOf(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/sites/$fqdn/time" params={{ fqdn: site.fqdn }} className={buttonStyle({ variant: 'secondary' })}>
        <HistoryIcon /> Time machine
      </Link>
      <a
        href={propertiesOf(site).url}
        target="_blank"
        rel="noreferrer"
        className={buttonStyle({ variant: 'secondary' })}
      >
        <OpenIcon /> Open site
      </a>
      <Button pending={pending} disabled={obstacle !== undefined} title={obstacle} onClick={() => void signIn()}>
        <KeyIcon /> Sign in to WordPress
      </Button>
    </div>
  );
}
