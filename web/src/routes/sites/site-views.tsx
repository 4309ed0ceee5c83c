import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../../ui/form.tsx';
import { CheckIcon, ChevronDownIcon, PlusIcon, TrashIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { type SiteList, siteListOf, siteViewsQuery } from './sites-query.ts';

type SiteViewsProps = { teamId: string; list: SiteList; onChoose: (list: SiteList) => void };

/** Ways to look at the list that one comes back to. They are the person's own, and kept at the server. */
export function SiteViews({ teamId, list, onChoose }: SiteViewsProps) {
  const queryClient = useQueryClient();
  const views = useQuery(siteViewsQuery(teamId)).data ?? [];
  const [isSaving, setSaving] = useState(false);
  const { search = '', label = '', state = '', sort = 'newest', layout = 'cards' } = list;
  const current = views.find(
    (view) =>
      view.search === search &&
      view.label === label &&
      view.state === state &&
      view.sort === sort &&
      view.layout === layout,
  );
  const again = () => queryClient.invalidateQueries({ queryKey: siteViewsQuery(teamId).queryKey });

  async function save({ name = '' }: Record<string, string>) {
    await api.saveSiteView({ params: { team_id: teamId }, body: { name, ...list } });
    await again();
    setSaving(false);
    toast.success(`Saved as ${name.trim()}.`);
  }
  async function forget(site_view_id: string) {
    try {
      await api.deleteSiteView({ params: { team_id: teamId, site_view_id } });
      await again();
    } catch (error) {
      toast.error(messageOf(error));
    }
  }
  return (
    <>
      <Menu
        trigger={
          <Button variant="secondary">
            {current?.name ?? 'Views'} <ChevronDownIcon />
          </Button>
        }
      >
        {views.map((view) => (
          <MenuItem
            key={view.id}
            icon={view === current ? <CheckIcon /> : <span className="block size-4" />}
            onClick={() => onChoose(siteListOf(view))}
          >
            {view.name}
          </MenuItem>
        ))}
        {views.length > 0 && <MenuSeparator />}
        {current ? (
          <MenuItem danger icon={<TrashIcon />} onClick={() => void forget(current.id)}>
            Forget {current.name}
          </MenuItem>
        ) : (
          <MenuItem icon={<PlusIcon />} onClick={() => setSaving(true)}>
            Save this view
          </MenuItem>
        )}
      </Menu>
      <Dialog
        open={isSaving}
        onOpenChange={setSaving}
        title="Save this view"
        description="What you search for, the filters, the order and the layout. Only you see it."
      >
        <Form submit={save}>
          <Field name="name" label="Name" hint="One of the same name is replaced.">
            <Input required autoComplete="off" />
          </Field>
          <DialogActions>
            <CancelButton />
            <SubmitButton>Save view</SubmitButton>
          </DialogActions>
        </Form>
      </Dialog>
    </>
  );
}
