import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Template } from '#sdk';
import { api } from '../../api/client.ts';
import { templateState } from '../../api/templates.ts';
import { Listing } from '../../layout/listing.tsx';
import { TemplatePicture } from '../../layout/template-picture.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { keepPlace } from '../../ui/focus.ts';
import { messageOf } from '../../ui/form.tsx';
import { TemplateIcon } from '../../ui/icons.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { operatorTemplatesQuery } from './operator-queries.ts';

export function OperatorTemplates() {
  const [view, setView] = useState<'waiting' | 'approved'>('waiting');
  const [page, setPage] = useState(1);
  const query = useQuery(operatorTemplatesQuery(view === 'approved', page));
  return (
    <Section
      title="Templates"
      description="Everyone can use a public template once it is approved. Check its demo or page first."
      action={
        <Segmented
          label="Templates to show"
          value={view}
          onChange={(next) => {
            setView(next === 'approved' ? 'approved' : 'waiting');
            setPage(1);
          }}
          options={[
            { value: 'waiting', label: 'Not approved' },
            { value: 'approved', label: 'Approved' },
          ]}
        />
      }
      flush
    >
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty
            icon={<TemplateIcon />}
            title={view === 'approved' ? 'No approved templates' : 'No templates to approve'}
          />
        }
      >
        {(templates) => (
          <ul className="divide-y divide-line">
            {templates.map((template) => (
              <TemplateRow key={template.id} template={template} />
            ))}
          </ul>
        )}
      </Listing>
    </Section>
  );
}

function TemplateRow({ template }: { template: Template }) {
  const queryClient = useQueryClient();
  const { name, description, approved, picture_url, demo_url, url, created_at } = template;
  const { label, tone } = templateState(template);
  const approve = useMutation({
    mutationFn: () => api.approveTemplate({ params: { template_name: name }, body: { approved: !approved } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['templates'] });
      toast.success(approved ? `The approval of ${name} is withdrawn.` : `${name} is approved.`);
      keepPlace();
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <li className="flex flex-wrap items-start gap-4 px-5 py-4">
      <TemplatePicture url={picture_url} className="w-24 shrink-0" />
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="break-all font-medium">{name}</span> <Badge tone={tone}>{label}</Badge>
        </p>
        <p className="mt-0.5 line-clamp-2 text-muted">{description}</p>
        <p className="mt-1 break-all text-muted text-xs">
          Created <Time iso={created_at} /> ·{' '}
          <a href={demo_url ?? url} target="_blank" rel="noreferrer" className="rounded underline underline-offset-4">
            {demo_url ? 'Open demo' : url}
          </a>
        </p>
      </div>
      <Button
        variant="secondary"
        size="sm"
        pending={approve.isPending}
        onClick={() => approve.mutate()}
        aria-label={approved ? `Withdraw approval of ${name}` : `Approve ${name}`}
      >
        {approved ? 'Withdraw approval' : 'Approve'}
      </Button>
    </li>
  );
}
