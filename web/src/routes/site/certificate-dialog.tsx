import { useQueryClient } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Textarea } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type CertificateDialogProps = { site: Site; fqdn: string; open: boolean; onOpenChange: (open: boolean) => void };

export function CertificateDialog({ site, fqdn, open, onOpenChange }: CertificateDialogProps) {
  const queryClient = useQueryClient();

  async function submit({ chain = '', key = '' }: Record<string, string>) {
    await api.setSiteCertificate({ params: { fqdn: site.fqdn, domain: fqdn }, body: { chain, key } });
    await queryClient.invalidateQueries({ queryKey: ['domains'] });
    onOpenChange(false);
    toast.success(`Your certificate for ${fqdn} is in place.`);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Your own certificate for ${fqdn}`}
      description="The key is kept encrypted and never shown again. Three days before the certificate ends, the platform gets one in its place where it can."
    >
      <Form submit={submit}>
        <Field name="chain" label="Certificate and chain (PEM)">
          <Textarea
            required
            spellcheck={false}
            placeholder="-----BEGIN CERTIFICATE-----"
            className="max-h-40! font-mono text-xs"
          />
        </Field>
        <Field name="key" label="Private key (PEM)">
          <Textarea
            required
            spellcheck={false}
            placeholder="-----BEGIN PRIVATE KEY-----"
            className="max-h-40! font-mono text-xs"
          />
        </Field>
        <DialogActions>
          <CancelButton />
          <SubmitButton>Upload certificate</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
