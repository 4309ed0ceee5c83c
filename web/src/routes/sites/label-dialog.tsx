import { useQueryClient } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { CheckboxGroup } from '../../ui/checkbox.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { formatAmount } from '../../ui/format.ts';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type LabelDialogProps = {
  teamId: string;
  sites: Site[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onDone: () => void;
};

export function LabelDialog({ teamId, sites, open, onOpenChange, onDone }: LabelDialogProps) {
  const queryClient = useQueryClient();
  const present = [...new Set(sites.flatMap(({ labels }) => labels))].sort();

  async function submit({ add = '', remove = [] }: { add?: string; remove?: string[] }) {
    const wanted = add.split(',').flatMap((label) => label.trim().replaceAll(/\s+/g, ' ') || []);
    const fqdns = sites.map(({ fqdn }) => fqdn);
    await api.labelSites({ params: { team_id: teamId }, body: { fqdns, add: [...new Set(wanted)], remove } });
    await queryClient.invalidateQueries({ queryKey: ['sites'] });
    onOpenChange(false);
    onDone();
    toast.success('The labels are changed.');
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Labels of ${formatAmount(sites.length, 'site')}`}
      description="Everyone in the team sees them and can filter by them."
    >
      <Form submit={submit}>
        <Field name="add" label="Add" hint="Separate several with commas, such as client, shop.">
          <Input autoComplete="off" spellcheck={false} />
        </Field>
        {present.length > 0 && (
          <CheckboxGroup
            name="remove"
            legend="Remove"
            defaultValue={[]}
            options={present.map((label) => ({ value: label, label }))}
          />
        )}
        <DialogActions>
          <CancelButton />
          <SubmitButton>Change labels</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
