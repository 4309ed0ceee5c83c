import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { Place } from '../../../api/sites.ts';
import { CancelButton, Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form, SubmitButton } from '../../../ui/form.tsx';
import { Input } from '../../../ui/input.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { type Extension, softwareQuery } from './software-queries.ts';

type InstallDialogProps = {
  place: Place;
  kind: Extension['kind'];
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

export function InstallDialog({ place, kind, open, onOpenChange }: InstallDialogProps) {
  const queryClient = useQueryClient();
  async function submit({ name = '', activate }: { name?: string; activate?: boolean }) {
    const body = { kind, name: slugOf(name), activate: activate === true };
    const software = await api.installExtension({
      params: { fqdn: place.fqdn },
      query: { stage: place.stage },
      body,
    });
    queryClient.setQueryData(softwareQuery(place).queryKey, software);
    void queryClient.invalidateQueries({ queryKey: ['sites'] });
    onOpenChange(false);
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Add a ${kind}`}
      description="From the directory of wordpress.org. Pages are checked afterwards, and what breaks one is rolled back."
    >
      <Form submit={submit} fieldOfCode={{ 'software.fixed': 'name' }}>
        <Field name="name" label="Name or address" hint={`As in wordpress.org/${kind}s/name`}>
          <Input
            required
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
            placeholder={kind === 'plugin' ? 'contact-form-7' : 'twentytwentyfour'}
          />
        </Field>
        <Switch name="activate" label={`Activate the ${kind}`} defaultChecked={kind === 'plugin'} />
        <DialogActions>
          <CancelButton />
          <SubmitButton>Install {kind}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

/** Whoever pastes the address of a page of the directory means what is behind it. */
function slugOf(text: string): string {
  return /wordpress\.org\/(?:plugins|themes)\/([\w.-]+)/.exec(text)?.[1] ?? text.trim();
}
