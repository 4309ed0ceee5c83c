import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Site, SiteDomain } from '#sdk';
import { api } from '../../api/client.ts';
import { siteLink } from '../../layout/site-link.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { messageOf } from '../../ui/form.tsx';
import { MoreIcon } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { CertificateDialog } from './certificate-dialog.tsx';

type DomainActionsProps = {
  site: Site;
  domain: SiteDomain;
  disabled: boolean;
  showsRecords: boolean;
  onShowRecords: () => void;
};

/** What can be done with a name of a site. */
export function DomainActions({ site, domain, disabled, showsRecords, onShowRecords }: DomainActionsProps) {
  const [asks, setAsks] = useState<'primary' | 'remove' | 'certificate' | 'drop'>();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { fqdn, is_primary, mode, pair, certificate } = domain;
  const params = { fqdn: site.fqdn, domain: fqdn };
  const close = () => setAsks(undefined);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['domains'] });

  async function doNow(work: () => Promise<unknown>, done: string) {
    try {
      await work();
      await refresh();
      toast.success(done);
    } catch (error) {
      toast.error(messageOf(error));
    }
  }

  async function makePrimary() {
    await api.promoteSiteDomain({ wait: 60, params });
    // Under the name of before there is nothing to ask for any more.
    await navigate(siteLink(fqdn, 'domains', false));
    await queryClient.invalidateQueries({ queryKey: ['sites'] });
    toast.success(`${fqdn} is now the primary domain.`);
  }

  async function remove() {
    await api.deleteSiteDomain({ params });
    await refresh();
    toast.success(`${fqdn} is removed.`);
  }

  async function dropCertificate() {
    await api.deleteSiteCertificate({ params });
    await refresh();
    toast.success(`Your certificate for ${fqdn} is removed.`);
  }

  const other = mode === 'serve' ? 'redirect' : 'serve';
  return (
    <div className="flex items-center gap-1">
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label={`Actions for ${fqdn}`}>
            <MoreIcon />
          </Button>
        }
      >
        <MenuItem onClick={onShowRecords}>{showsRecords ? 'Hide DNS records' : 'Show DNS records'}</MenuItem>
        {!is_primary && (
          <>
            <MenuItem disabled={disabled || !domain.verified} onClick={() => setAsks('primary')}>
              {disabled || domain.verified ? 'Make primary' : 'Make primary (once it points here)'}
            </MenuItem>
            <MenuItem
              disabled={disabled}
              onClick={() =>
                void doNow(
                  () => api.updateSiteDomain({ params, body: { mode: other } }),
                  other === 'serve' ? `${fqdn} shows the site.` : `${fqdn} redirects to ${site.fqdn}.`,
                )
              }
            >
              {other === 'serve' ? 'Show the site here' : 'Redirect to the primary domain'}
            </MenuItem>
          </>
        )}
        {pair !== null && (
          <MenuItem
            disabled={disabled}
            onClick={() =>
              void doNow(
                () => api.createSiteDomain({ params: { fqdn: site.fqdn }, body: { domain: pair } }),
                `${pair} is added.`,
              )
            }
          >
            Add {pair}
          </MenuItem>
        )}
        <MenuItem disabled={disabled} onClick={() => setAsks('certificate')}>
          Upload a certificate
        </MenuItem>
        {certificate.source === 'own' && (
          <MenuItem disabled={disabled} onClick={() => setAsks('drop')}>
            Remove your certificate
          </MenuItem>
        )}
        {!is_primary && (
          <>
            <MenuSeparator />
            <MenuItem danger disabled={disabled} onClick={() => setAsks('remove')}>
              Remove
            </MenuItem>
          </>
        )}
      </Menu>
      <ConfirmAction
        open={asks === 'primary'}
        onOpenChange={close}
        title={`Make ${fqdn} primary?`}
        action="Make primary"
        isHarmless
        onConfirm={makePrimary}
      >
        Addresses inside the site are rewritten, and visitors wait for a moment. {site.fqdn} redirects to {fqdn}{' '}
        afterwards.
      </ConfirmAction>
      <ConfirmAction
        open={asks === 'remove'}
        onOpenChange={close}
        title={`Remove ${fqdn}?`}
        action="Remove"
        onConfirm={remove}
      >
        The name stops working, and links to it break.
      </ConfirmAction>
      <ConfirmAction
        open={asks === 'drop'}
        onOpenChange={close}
        title={`Remove your certificate for ${fqdn}?`}
        action="Remove"
        onConfirm={dropCertificate}
      >
        The platform gets one in its place where it can. Until then the name has none.
      </ConfirmAction>
      <CertificateDialog site={site} fqdn={fqdn} open={asks === 'certificate'} onOpenChange={close} />
    </div>
  );
}
