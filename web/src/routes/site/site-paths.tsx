import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExternalPath, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Listing } from '../../layout/listing.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PathIcon, PencilIcon, PlusIcon, TrashIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { PathDialog } from './path-dialog.tsx';
import { externalPathsQuery } from './site-queries.ts';

export function SitePaths({ site }: { site: Site }) {
  const [page, setPage] = useState(1);
  const [adding, setAdding] = useState(false);
  const query = useQuery(externalPathsQuery(site.fqdn, page));
  const obstacle = obstaclesOf(site, useMe()).change;
  return (
    <div className="grid gap-6">
      <BlockedNote reason={obstacle} />
      <Section
        title="External paths"
        description="Parts of the site that another server answers. The longest path that fits wins."
        action={
          <ConfirmedOnly>
            <Button disabled={obstacle !== undefined} onClick={() => setAdding(true)}>
              <PlusIcon /> Add path
            </Button>
          </ConfirmedOnly>
        }
        flush
      >
        <PathDialog site={site} open={adding} onOpenChange={setAdding} />
        <Listing
          query={query}
          onPage={setPage}
          empty={
            <Empty icon={<PathIcon />} title="WordPress answers everything">
              Send a path such as /shop to another server, under the same name.
            </Empty>
          }
        >
          {(paths) => (
            <Table
              label="External paths"
              head={
                <>
                  <Th>Path</Th>
                  <Th className="max-sm:hidden">Goes to</Th>
                  <Th>
                    <span className="sr-only">Actions</span>
                  </Th>
                </>
              }
            >
              {paths.map((path) => (
                <PathRow key={path.id} site={site} path={path} disabled={obstacle !== undefined} />
              ))}
            </Table>
          )}
        </Listing>
      </Section>
    </div>
  );
}

function PathRow({ site, path, disabled }: { site: Site; path: ExternalPath; disabled: boolean }) {
  const [editing, setEditing] = useState(false);
  const queryClient = useQueryClient();
  const isUnconfirmed = !useMe().is_verified;

  async function remove() {
    await api.deleteExternalPath({ params: { fqdn: site.fqdn, external_path_id: path.id } });
    await queryClient.invalidateQueries({ queryKey: ['external-paths'] });
    toast.success(`WordPress answers ${path.path} again.`);
  }

  return (
    <tr>
      <Td className="w-2/5 max-sm:w-full">
        <code className="font-mono">{path.path}</code>
        <p className="text-muted text-xs sm:hidden">{path.external_name}</p>
      </Td>
      <Td className="w-3/5 text-muted max-sm:hidden">{path.external_name}</Td>
      <Td>
        <div className="flex justify-end gap-1">
          <Button
            variant="ghost"
            size="icon"
            disabled={disabled || isUnconfirmed}
            aria-label={`Edit ${path.path}`}
            onClick={() => setEditing(true)}
          >
            <PencilIcon />
          </Button>
          <ConfirmAction
            trigger={
              <Button variant="ghost" size="icon" disabled={disabled} aria-label={`Delete ${path.path}`}>
                <TrashIcon />
              </Button>
            }
            title={`Delete ${path.path}?`}
            action="Delete"
            onConfirm={remove}
          >
            WordPress answers {path.path} again, and {path.external_name} no longer sees these visitors.
          </ConfirmAction>
        </div>
        <PathDialog site={site} path={path} open={editing} onOpenChange={setEditing} />
      </Td>
    </tr>
  );
}
