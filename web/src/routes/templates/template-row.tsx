import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Template } from '#sdk';
import { api } from '../../api/client.ts';
import { templateState, visibleTemplatesQuery } from '../../api/templates.ts';
import { TemplateFields, type TemplateValues } from '../../layout/template-fields.tsx';
import { TemplatePicture } from '../../layout/template-picture.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { MoreIcon, PencilIcon, ReopenIcon, TrashIcon } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';

export function TemplateRow({ template }: { template: Template }) {
  const [asked, setAsked] = useState<'edit' | 'update' | 'delete'>();
  const queryClient = useQueryClient();
  const { name, description, picture_url, demo_url, created_at } = template;
  const params = { template_name: name };
  const { label, tone } = templateState(template);
  const close = () => setAsked(undefined);
  const refresh = () => queryClient.invalidateQueries({ queryKey: visibleTemplatesQuery.queryKey });

  async function save(values: TemplateValues) {
    await api.updateTemplate({ params, body: values });
    await refresh();
    close();
    toast.success('Saved.');
  }

  return (
    <li className="flex items-start gap-4 px-5 py-4">
      <TemplatePicture url={picture_url} className="w-24 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="break-all font-medium">{name}</span> <Badge tone={tone}>{label}</Badge>
        </p>
        <p className="mt-0.5 line-clamp-2 text-muted">{description}</p>
        <p className="mt-1 text-muted text-xs">
          Created <Time iso={created_at} />
          {demo_url && (
            <>
              {' · '}
              <a href={demo_url} target="_blank" rel="noreferrer" className="rounded underline underline-offset-4">
                Open demo
              </a>
            </>
          )}
        </p>
      </div>
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label={`Actions for ${name}`}>
            <MoreIcon />
          </Button>
        }
      >
        <MenuItem icon={<PencilIcon />} onClick={() => setAsked('edit')}>
          Edit template
        </MenuItem>
        <MenuItem icon={<ReopenIcon />} onClick={() => setAsked('update')}>
          Update content
        </MenuItem>
        <MenuItem icon={<TrashIcon />} onClick={() => setAsked('delete')}>
          Delete template
        </MenuItem>
      </Menu>
      <Dialog open={asked === 'edit'} onOpenChange={close} title={`Edit ${name}`}>
        <Form submit={save}>
          <TemplateFields template={template} />
          <DialogActions>
            <CancelButton />
            <SubmitButton>Save template</SubmitButton>
          </DialogActions>
        </Form>
      </Dialog>
      <ConfirmAction
        open={asked === 'update'}
        onOpenChange={close}
        title={`Update the content of ${name}?`}
        action="Update content"
        isHarmless
        onConfirm={async () => {
          await api.updateTemplate({ params, query: { update_git: true }, body: {} });
          await refresh();
        }}
      >
        The template is read again from its site or repository as it is now. A public template needs a new approval.
      </ConfirmAction>
      <ConfirmAction
        open={asked === 'delete'}
        onOpenChange={close}
        title={`Delete the template ${name}?`}
        action="Delete template"
        onConfirm={async () => {
          await api.deleteTemplate({ params });
          await refresh();
          toast.success(`The template ${name} is deleted.`);
        }}
      >
        New sites can no longer be created from it. Sites that were created from it stay.
      </ConfirmAction>
    </li>
  );
}
