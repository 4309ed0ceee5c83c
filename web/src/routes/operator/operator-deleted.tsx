import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeletedSite } from '#sdk';
import { api } from '../../api/client.ts';
import { Listing } from '../../layout/listing.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { keepPlace } from '../../ui/focus.ts';
import { messageOf } from '../../ui/form.tsx';
import { formatBytes } from '../../ui/format.ts';
import { ReopenIcon, TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { deletedSitesQuery } from './operator-queries.ts';

export function OperatorDeleted() {
  const [page, setPage] = useState(1);
  const query = useQuery(deletedSitesQuery(page));
  return (
    <Section title="Deleted sites" description="Each is kept for seven days, then it is gone for good." flush>
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<TrashIcon />} title="Nothing to bring back">
            Sites that people delete wait here for a while.
          </Empty>
        }
      >
        {(sites) => (
          <Table
            label="Deleted sites"
            head={
              <>
                <Th>Site</Th>
                <Th className="max-md:hidden">Deleted</Th>
                <Th className="max-sm:hidden">Kept until</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {sites.map((site) => (
              <DeletedRow key={site.id} site={site} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function DeletedRow({ site }: { site: DeletedSite }) {
  const queryClient = useQueryClient();
  const restore = useMutation({
    mutationFn: () => api.restoreDeletedSite({ params: { site_id: site.id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sites'] });
      toast.success(`${site.fqdn} is being brought back.`);
      keepPlace();
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{site.fqdn}</p>
        <p className="truncate text-muted text-xs">
          {site.team_name} · {formatBytes(site.storage_bytes)}
        </p>
        <p className="text-muted text-xs sm:hidden">
          Gone for good <Time iso={site.purge_after} />
        </p>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <Time iso={site.deleted_at} />
        {site.deleted_by && ` by ${site.deleted_by.full_name}`}
      </Td>
      <Td className="whitespace-nowrap text-muted max-sm:hidden">
        <Time iso={site.purge_after} />
      </Td>
      <Td className="text-right">
        <Button
          variant="secondary"
          size="sm"
          aria-label={`Bring ${site.fqdn} back`}
          pending={restore.isPending}
          onClick={() => restore.mutate()}
        >
          <ReopenIcon /> Bring back
        </Button>
      </Td>
    </tr>
  );
}
