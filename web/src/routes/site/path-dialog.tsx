import { useQueryClient } from '@tanstack/react-query';
import type { ExternalPath, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type PathDialogProps = { site: Site; path?: ExternalPath; open: boolean; onOpenChange: (open: boolean) => void };

export function PathDialog({ site, path, open, onOpenChange }: PathDialogProps) {
  const queryClient = useQueryClient();

  async function submit({ path: from = '', external_name = '' }: Record<string, string>) {
    const { fqdn } = site;
    const body = { path: from, external_name };
    const saved = path
      ? await api.updateExternalPath({ params: { fqdn, external_path_id: path.id }, body })
      : await api.createExternalPath({ params: { fqdn }, body });
    await queryClient.invalidateQueries({ queryKey: ['external-paths'] });
    onOpenChange(false);
    toast.success(`${saved.path} now leads to ${saved.external_name}.`);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={path ? `Edit ${path.path}` : 'Add an external path'}
      description="Requests to the path, and to all below it, go to the other server with the path taken off."
    >
      <Form submit={submit} fieldOfCode={{ 'external_path.exists': 'path' }}>
        <Field name="path" label="Path">
          <Input
            defaultValue={path?.path}
            required
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
            placeholder="/shop"
          />
        </Field>
        <Field name="external_name" label="Goes to">
          <Input
            defaultValue={path?.external_name}
            required
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
            inputMode="url"
            placeholder="https://shop.example.com/"
          />
        </Field>
        <DialogActions>
          <CancelButton />
          <SubmitButton>{path ? 'Save path' : 'Add path'}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
