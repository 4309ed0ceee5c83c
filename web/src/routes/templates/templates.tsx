import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../api/session.ts';
import { ownTemplates, visibleTemplatesQuery } from '../../api/templates.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TemplateIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { TemplateRow } from './template-row.tsx';

/** Polling interval while a template is being created. */
const POLL_INTERVAL_MS = 3_000;

export function TemplatesPage() {
  const me = useMe();
  const query = useQuery({
    ...visibleTemplatesQuery,
    refetchInterval: ({ state }) => (state.data?.some(({ ready }) => !ready) ? POLL_INTERVAL_MS : false),
  });
  return (
    <>
      <PageHeader title="Templates" description="Create new sites from copies of your sites." />
      <Card className="overflow-hidden">
        <Loaded query={{ ...query, data: query.data && ownTemplates(query.data, me) }}>
          {(templates) =>
            templates.length > 0 ? (
              <ul className="divide-y divide-line">
                {templates.map((template) => (
                  <TemplateRow key={template.id} template={template} />
                ))}
              </ul>
            ) : (
              <Empty icon={<TemplateIcon />} title="No templates">
                Open the settings of a site and choose Save as template.
              </Empty>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}
