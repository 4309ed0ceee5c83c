import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { capitalise } from '../../ui/format.ts';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';

/** A plan without payment, for a team that has no subscription. */
export function PlanDialog({ team, open, onOpenChange }: PlanDialogProps) {
  const queryClient = useQueryClient();
  const plans = useQuery({ queryKey: ['plans'], queryFn: () => api.listPlans(), enabled: open });

  async function submit({ plan_name = '' }: Record<string, string>) {
    const name = plan_name as Team['plan_type_name'];
    await api.setTeamPlan({ params: { team_id: team.id }, body: { plan_name: name } });
    await queryClient.invalidateQueries({ queryKey: ['teams'] });
    onOpenChange(false);
    toast.success(`${team.name} has the plan ${capitalise(name)}.`);
  }

  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={`Give ${team.name} a plan`}>
      <Form submit={submit}>
        <Field
          name="plan_name"
          label="Plan"
          hint="Without payment, until the team buys a plan. Free takes a plan away; sites beyond it stay online for 14 days."
        >
          <Select
            options={(plans.data ?? [team.plan_type]).map(({ name }) => ({ value: name, label: capitalise(name) }))}
            defaultValue={team.plan_type_name}
          />
        </Field>
        <DialogActions>
          <CancelButton />
          <SubmitButton>Give plan</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

interface PlanDialogProps {
  team: Team;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}
