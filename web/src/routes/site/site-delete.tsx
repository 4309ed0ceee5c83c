import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { siteQuery } from '../../api/site-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { TrashIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

export function SiteDelete({ site, disabled }: { site: Site; disabled: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <Section
      title="Delete"
      description="Its pages, files and database go, and its name is free at once. For seven days support can bring it back."
    >
      <Button variant="danger" disabled={disabled} onClick={() => setOpen(true)}>
        <TrashIcon /> Delete site
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={`Delete ${site.fqdn}?`}
        description="Visitors see nothing from now on."
      >
        <DeleteForm site={site} />
      </Dialog>
    </Section>
  );
}

function DeleteForm({ site }: { site: Site }) {
  const [typed, setTyped] = useState('');
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
    <Form submit={remove}>
      <Field
        name="confirmation"
        label={
          <>
            Type <strong className="select-all font-mono">{site.fqdn}</strong> to confirm
          </>
        }
      >
        <Input
          value={typed}
          onValueChange={(next) => setTyped(String(next))}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <DialogActions>
        <CancelButton />
        <SubmitButton variant="danger" disabled={typed.trim() !== site.fqdn}>
          Delete site
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
