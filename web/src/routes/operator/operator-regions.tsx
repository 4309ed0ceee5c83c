import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Region } from '#sdk';
import { api } from '../../api/client.ts';
import { placeOf, regionsQuery } from '../../api/regions.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon, RegionIcon, TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { RegionDialog } from './region-dialog.tsx';

export function OperatorRegions() {
  const query = useQuery(regionsQuery);
  const [adding, setAdding] = useState(false);
  return (
    <Section
      title="Regions"
      description="Where sites can be hosted."
      action={
        <Button onClick={() => setAdding(true)}>
          <PlusIcon /> Add region
        </Button>
      }
      flush
    >
      <RegionDialog open={adding} onOpenChange={setAdding} />
      <Loaded query={query}>
        {(regions) =>
          regions.length > 0 ? (
            <Table
              label="Regions"
              head={
                <>
                  <Th>Region</Th>
                  <Th className="max-md:hidden">Canonical name</Th>
                  <Th className="max-sm:hidden">Address</Th>
                  <Th>
                    <span className="sr-only">Actions</span>
                  </Th>
                </>
              }
            >
              {regions.map((region) => (
                <RegionRow key={region.id} region={region} />
              ))}
            </Table>
          ) : (
            <Empty icon={<RegionIcon />} title="No regions">
              Sites need at least one.
            </Empty>
          )
        }
      </Loaded>
    </Section>
  );
}

function RegionRow({ region }: { region: Region }) {
  const [editing, setEditing] = useState(false);
  const queryClient = useQueryClient();
  async function remove() {
    await api.deleteRegion({ params: { region_id: region.id } });
    await queryClient.invalidateQueries({ queryKey: regionsQuery.queryKey });
    toast.success(`${region.name} is deleted.`);
  }
  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{region.name}</p>
        <p className="truncate text-muted text-xs">{placeOf(region)}</p>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">{region.cname}</Td>
      <Td className="whitespace-nowrap text-muted tabular-nums max-sm:hidden">{region.ip}</Td>
      <Td>
        <div className="flex justify-end gap-1">
          <Button variant="secondary" size="sm" aria-label={`Edit ${region.name}`} onClick={() => setEditing(true)}>
            Edit
          </Button>
          <ConfirmAction
            trigger={
              <Button variant="ghost" size="icon" aria-label={`Delete ${region.name}`}>
                <TrashIcon />
              </Button>
            }
            title={`Delete ${region.name}?`}
            action="Delete"
            onConfirm={remove}
          >
            New sites can no longer be placed there.
          </ConfirmAction>
        </div>
        <RegionDialog region={region} open={editing} onOpenChange={setEditing} />
      </Td>
    </tr>
  );
}
