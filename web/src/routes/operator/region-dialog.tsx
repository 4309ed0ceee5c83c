import { useQueryClient } from '@tanstack/react-query';
import type { Region } from '#sdk';
import { api } from '../../api/client.ts';
import { regionsQuery } from '../../api/regions.ts';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type RegionDialogProps = { region?: Region; open: boolean; onOpenChange: (open: boolean) => void };

export function RegionDialog({ region, open, onOpenChange }: RegionDialogProps) {
  const queryClient = useQueryClient();

  async function submit(values: Record<string, string>) {
    const { name = '', city = '', country = '', country_code = '', cname = '', ip = '', name_servers = '' } = values;
    const body = {
      name,
      city,
      country,
      country_code,
      cname,
      ip,
      name_servers: name_servers.split(/[\s,]+/).filter(Boolean),
    };
    if (region) await api.updateRegion({ params: { region_id: region.id }, body });
    else await api.createRegion({ body });
    await queryClient.invalidateQueries({ queryKey: regionsQuery.queryKey });
    onOpenChange(false);
    toast.success(region ? 'Saved.' : `${name} is added.`);
  }

  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={region ? `Edit ${region.name}` : 'Add a region'} wide>
      <Form submit={submit}>
        <div className="grid gap-5 sm:grid-cols-2 sm:gap-x-3">
          <Field name="name" label="Name">
            <Input defaultValue={region?.name} required />
          </Field>
          <Field name="city" label="City">
            <Input defaultValue={region?.city} required />
          </Field>
          <Field name="country" label="Country">
            <Input defaultValue={region?.country} required />
          </Field>
          <Field name="country_code" label="Country code">
            <Input defaultValue={region?.country_code} required maxLength={2} placeholder="DE" />
          </Field>
          <Field name="cname" label="Canonical name">
            <Input defaultValue={region?.cname} required placeholder="eu.example.com" />
          </Field>
          <Field name="ip" label="Address">
            <Input defaultValue={region?.ip} required placeholder="203.0.113.10" />
          </Field>
          <Field
            name="name_servers"
            label="Name servers"
            optional
            hint="Separated by spaces."
            className="sm:col-span-2"
          >
            <Input defaultValue={region?.name_servers?.join(' ')} />
          </Field>
        </div>
        <DialogActions>
          <CancelButton />
          <SubmitButton>{region ? 'Save changes' : 'Add region'}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
