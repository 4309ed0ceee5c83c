import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { type ClaimRecord, claimIn } from '../../api/domain-claims.ts';
import { ClaimNote } from '../../layout/claim-record.tsx';
import { CheckboxGroup } from '../../ui/checkbox.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { hostIn } from '../../ui/host-in.ts';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type DomainDialogProps = { site: Site; open: boolean; onOpenChange: (open: boolean) => void };
type Values = { domain?: string; options?: string[] };

const TAKEN = { 'site.name_taken': 'domain', 'site.name_held': 'domain', 'site.too_many_names': 'domain' };

export function DomainDialog({ site, open, onOpenChange }: DomainDialogProps) {
  const queryClient = useQueryClient();
  const [claim, setClaim] = useState<ClaimRecord>();

  async function submit({ domain = '', options = [] }: Values) {
    setClaim(undefined);
    const mode = options.includes('serve') ? ('serve' as const) : ('redirect' as const);
    try {
      const body = { domain: hostIn(domain), mode, with_www: options.includes('www') };
      const added = await api.createSiteDomain({ params: { fqdn: site.fqdn }, body });
      await queryClient.invalidateQueries({ queryKey: ['domains'] });
      onOpenChange(false);
      toast.success(`${added.fqdn} is added.`);
    } catch (error) {
      setClaim(claimIn(error));
      throw error;
    }
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Add a domain"
      description="Nothing changes for visitors yet. Next you see the DNS records to set."
    >
      <Form<Values> submit={submit} fieldOfCode={TAKEN}>
        <Field name="domain" label="Domain">
          <Input required autoComplete="off" autoCapitalize="none" spellcheck={false} placeholder="example.com" />
        </Field>
        <CheckboxGroup
          name="options"
          legend="Options"
          defaultValue={['www']}
          options={[
            { value: 'www', label: 'Add it with and without www' },
            { value: 'serve', label: 'Show the site here', hint: 'Otherwise it redirects to the primary domain.' },
          ]}
        />
        <ClaimNote claim={claim} />
        <DialogActions>
          <CancelButton />
          <SubmitButton>Add domain</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
