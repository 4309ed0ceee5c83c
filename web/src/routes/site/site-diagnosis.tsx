import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Diagnosis, Proposal, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { atLeast } from '../../api/roles.ts';
import { ProposalCard } from '../../layout/proposal-card.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { messageOf } from '../../ui/form.tsx';
import { WandIcon } from '../../ui/icons.ts';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';

/** A look at the site from all sides, and what may help. */
export function SiteDiagnosis({ site }: { site: Site }) {
  const mayLook = atLeast(site.team.role, 'member');
  const look = useMutation({
    mutationFn: () => api.diagnoseSite({ params: { fqdn: site.fqdn } }),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Section
      title="Diagnosis"
      description="Front page, errors, DNS, certificate, plan and last changes. Wakes the site where it sleeps."
      action={
        mayLook && (
          <Button variant="secondary" pending={look.isPending} onClick={() => look.mutate()}>
            <WandIcon /> Diagnose
          </Button>
        )
      }
    >
      <div aria-live="polite" aria-busy={look.isPending}>
        {look.data && <Seen diagnosis={look.data} />}
      </div>
    </Section>
  );
}

const tones = { problem: 'danger', hint: 'warn', fine: 'success' } as const;

function Seen({ diagnosis }: { diagnosis: Diagnosis }) {
  return (
    <div className="grid gap-4">
      {diagnosis.findings.map((finding) => (
        <div key={finding.text} className="grid gap-3">
          <Alert tone={tones[finding.level]}>
            <span className="break-words">{finding.text}</span>
          </Alert>
          {finding.suggestion && <Suggested key={diagnosis.looked_at} suggestion={finding.suggestion} />}
        </div>
      ))}
      <dl className="grid gap-x-4 gap-y-1 text-xs sm:grid-cols-[auto_1fr]">
        {diagnosis.looks.map(({ name, text }) => (
          <div key={name} className="contents">
            <dt className="text-muted first-letter:uppercase">{name === 'dns' ? 'DNS' : name.replaceAll('_', ' ')}</dt>
            <dd className="min-w-0 break-words">{text}</dd>
          </div>
        ))}
      </dl>
      <p className="text-muted text-xs">
        {diagnosis.woke && 'The site slept, and is awake now. '}
        Looked at <Time iso={diagnosis.looked_at} />.
      </p>
    </div>
  );
}

function Suggested({ suggestion }: { suggestion: NonNullable<Diagnosis['findings'][number]['suggestion']> }) {
  const [proposal, setProposal] = useState<Proposal>();
  const propose = useMutation({
    mutationFn: () => api.createProposal({ body: { operation: suggestion.operation, input: suggestion.input } }),
    onSuccess: setProposal,
    onError: (error) => toast.error(messageOf(error)),
  });
  if (proposal) return <ProposalCard proposal={proposal} mayDecide />;
  return (
    <div>
      <Button pending={propose.isPending} onClick={() => propose.mutate()}>
        {suggestion.label}…
      </Button>
    </div>
  );
}
