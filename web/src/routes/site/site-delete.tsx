import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { siteQuery } from '../../api/sites.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
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
    <Section
      title="Delete"
      description="Its pages, files and database go, and its name is free at once. For seven days support can bring it back."
    >
      <ConfirmAction
        trigger={
          <Button variant="secondary" disabled={disabled}>
            <TrashIcon /> Delete site…
          </Button>
        }
        title={`Delete ${site.fqdn}?`}
        action="Delete"
        onConfirm={remove}
        typed={site.fqdn}
      >
        Visitors see nothing from now on.
      </ConfirmAction>
    </Section>
  );
}
