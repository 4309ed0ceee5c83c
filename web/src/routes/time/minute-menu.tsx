import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RestorePoint, Site } from '#sdk';
import { api } from '../../api/client.ts';
import type { Place } from '../../api/sites.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { formatMoment } from '../../ui/format-time.ts';
import { DownloadIcon, FlagIcon, MoreIcon, TrashIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';

type MinuteMenuProps = { site: Site; stage: boolean; point: string; name: RestorePoint | undefined };

/** An archive that any WordPress can be made of; it is saved, and the page stays. */
function downloadPath({ fqdn, stage }: Place, restore_point: string): string {
  const query = new URLSearchParams({ restore_point, ...(stage && { stage: 'true' }) });
  return `/f/api/v1/site/${encodeURIComponent(fqdn)}/backup/download?${query}`;
}

/** What else can be done with a minute. */
export function MinuteMenu({ site, stage, point, name }: MinuteMenuProps) {
  const [asked, setAsked] = useState<'name' | 'remove'>();
  const queryClient = useQueryClient();
  const { fqdn } = site;
  const changed = () => queryClient.invalidateQueries({ queryKey: ['restore-points', fqdn, stage] });
  const close = () => setAsked(undefined);

  async function give({ name: given = '' }: Record<string, string>) {
    await api.createRestorePoint({
      params: { fqdn },
      body: { name: given, restore_point: point, for_stage_site: stage },
    });
    await changed();
    close();
  }

  return (
    <>
      <Menu
        trigger={
          <Button variant="secondary" size="md" aria-label="More for this minute" className="px-2.5">
            <MoreIcon />
          </Button>
        }
      >
        <MenuItem icon={<DownloadIcon />} onClick={() => location.assign(downloadPath({ fqdn, stage }, point))}>
          Download backup
        </MenuItem>
        {name ? (
          <MenuItem icon={<TrashIcon />} onClick={() => setAsked('remove')}>
            Remove the name
          </MenuItem>
        ) : (
          <MenuItem icon={<FlagIcon />} onClick={() => setAsked('name')}>
            Name this minute …
          </MenuItem>
        )}
      </Menu>
      <Dialog
        open={asked === 'name'}
        onOpenChange={close}
        title="Name this minute"
        description={`${formatMoment(point)} is kept for as long as it has a name, also when your plan would have let it go.`}
      >
        <Form submit={give}>
          <Field name="name" label="Name">
            <Input required maxLength={100} placeholder="Before the sale" autoComplete="off" />
          </Field>
          <DialogActions>
            <CancelButton />
            <SubmitButton>Save</SubmitButton>
          </DialogActions>
        </Form>
      </Dialog>
      {name && (
        <ConfirmAction
          open={asked === 'remove'}
          onOpenChange={close}
          title={`Remove the name “${name.name}”?`}
          action="Remove"
          onConfirm={async () => {
            await api.deleteRestorePoint({ params: { fqdn, restore_point_id: name.id } });
            await changed();
          }}
        >
          The minute stays for as long as your plan keeps it, and goes after that.
        </ConfirmAction>
      )}
    </>
  );
}
