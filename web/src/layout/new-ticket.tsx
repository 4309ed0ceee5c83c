import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useCurrentTeam } from '../api/current-team.ts';
import { atLeast } from '../api/roles.ts';
import { teamsQuery } from '../api/teams.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form, SubmitButton } from '../ui/form.tsx';
import { PlusIcon } from '../ui/icons.ts';
import { Input, Textarea } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';
import { toast } from '../ui/toast.tsx';
import { type Attached, AttachFile } from './attach-file.tsx';
import { HelpResults } from './help-search.tsx';

const categories = [
  { value: 'question', label: 'Question' },
  { value: 'problem', label: 'Problem' },
  { value: 'billing', label: 'Billing' },
  { value: 'other', label: 'Something else' },
];

const NO_SITE = 'none';

const sitesOfTeamQuery = (team_id: string | undefined) =>
  queryOptions({
    queryKey: ['sites', 'of team', team_id],
    queryFn: ({ signal }) => api.listSites({ query: { team_id: team_id as string, size: 100 }, signal }),
    enabled: team_id !== undefined,
  });

/** Without `teamId` the person chooses among their teams, and begins with the one they are at. */
export function NewTicketButton({ teamId }: { teamId?: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <PlusIcon /> New ticket
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="New ticket"
        description="Support reads it, and everyone in the team who sees what it is about."
        wide
      >
        <TicketForm teamId={teamId} />
      </Dialog>
    </>
  );
}

function TicketForm({ teamId }: { teamId?: string }) {
  const teams = useQuery(teamsQuery(1, 100)).data?.results;
  const [chosen, setChosen] = useState(teamId);
  const current = useCurrentTeam()?.id;
  const mayAsk = (teams ?? []).filter((each) => atLeast(each.role, 'member') || each.is_limited);
  const team =
    teams?.find(({ id }) => id === chosen) ?? mayAsk.find(({ id }) => id === current) ?? mayAsk[0] ?? teams?.[0];
  const readOnly = !teamId && team?.role === 'viewer';
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  // Whoever is in it for some sites alone asks about one of those, where they do more than look.
  const isLimited = team?.is_limited ?? false;
  const all = useQuery(sitesOfTeamQuery(teamId ?? team?.id)).data?.results;
  const sites = (all ?? []).filter((site) => !isLimited || atLeast(site.team.role, 'member'));
  const isOnlooker = isLimited && all !== undefined && sites.length === 0;
  const [subject, setSubject] = useState('');
  const [file, setFile] = useState<Attached>();

  async function submit({ description = '', category, site }: Record<string, string>) {
    const team_id = teamId ?? team?.id ?? '';
    const about = { ...(category && { category }), ...(site && site !== NO_SITE && { site_live_id: site }) };
    const body = { team_id, subject, description, ...about, ...(file && { s3_object: file.s3_object }) };
    const ticket = await api.createTicket({ body });
    await queryClient.invalidateQueries({ queryKey: ['tickets'] });
    toast.success('Your ticket is open.');
    await navigate({ to: '/tickets/$ticketId', params: { ticketId: ticket.id } });
  }

  return (
    <Form submit={submit}>
      <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
        {!teamId && (
          <Field name="team_id" label="Team">
            <Select
              options={(teams ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              value={team?.id ?? ''}
              onValueChange={setChosen}
              required
            />
          </Field>
        )}
        <Field name="category" label="About" className={teamId ? 'sm:col-span-2' : undefined}>
          <Select options={categories} defaultValue="question" />
        </Field>
      </div>
      {readOnly && <Alert tone="warn">You are a viewer of {team.name}, so you cannot open tickets there.</Alert>}
      {isOnlooker && (
        <Alert tone="warn">You only look at sites of {team?.name}, so you cannot open tickets about them.</Alert>
      )}
      {sites.length > 0 && (
        <Field name="site" label="Site" optional={!isLimited}>
          <Select
            key={team?.id}
            options={[
              ...(isLimited ? [] : [{ value: NO_SITE, label: 'No site in particular' }]),
              ...sites.map(({ id, fqdn }) => ({ value: id, label: fqdn })),
            ]}
            defaultValue={(isLimited && sites[0]?.id) || NO_SITE}
          />
        </Field>
      )}
      <Field name="subject" label="Subject">
        <Input required autoComplete="off" value={subject} onValueChange={setSubject} />
      </Field>
      <HelpResults words={subject} title="This may answer it" />
      <Field name="description" label="What is it about?" hint="Markdown works: **bold**, `code`, lists and links.">
        <Textarea rows={6} required />
      </Field>
      <div className="-mt-2">
        <AttachFile file={file} onChange={setFile} />
      </div>
      <DialogActions>
        <CancelButton />
        <SubmitButton disabled={readOnly || isOnlooker}>Open ticket</SubmitButton>
      </DialogActions>
    </Form>
  );
}
