import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { siteQuery, titleOfSite } from '../../api/sites.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Danger, DangerZone } from '../../ui/danger-zone.tsx';
import { TrashIcon } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';

export function SiteDelete({ site, disabled }: { site: Site; disabled: boolean }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  async function remove() {
    await api.deleteSite({ params: { fqdn: site.fqdn } });
    await navigate({ to: '/sites' });
    queryClient.removeQueries({ queryKey: siteQuery(site.fqdn).queryKey });
    void queryClient.invalidateQueries({ queryKey: ['sites'] });
    toast.success(`${site.fqdn} is deleted.`);
  }

  return (
    <DangerZone>
      <Danger
        title="Delete this site"
        description={`Deletes the pages, files and database of ${titleOfSite(site)} and frees its domains immediately. Support can restore it for seven days.`}
      >
        <ConfirmAction
          trigger={
            <Button variant="dangerOutline" disabled={disabled}>
              <TrashIcon /> Delete site
            </Button>
          }
          title={`Delete ${titleOfSite(site)}?`}
          action="Delete site"
          onConfirm={remove}
          typed={site.fqdn}
        >
          {site.fqdn} stops responding to visitors immediately.
        </ConfirmAction>
      </Danger>
    </DangerZone>
  );
}
