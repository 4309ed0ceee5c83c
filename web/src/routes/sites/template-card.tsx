import { useState } from 'react';
import type { Template } from '#sdk';
import { capitalise } from '../../ui/format.ts';
import { EmptyPageIcon, OpenIcon, TemplateIcon } from '../../ui/icons.ts';

/** What a site begins with, as a card to choose. */
export const cardOf = (template: Template) => ({
  value: template.name,
  label: capitalise(template.name),
  hint: hintOf(template),
  picture: <TemplatePicture url={template.picture_url} />,
  more: template.demo_url && (
    <a
      href={template.demo_url}
      target="_blank"
      rel="noreferrer"
      className="mt-1 inline-flex items-center gap-1 text-accent-text text-xs underline"
    >
      See the demo<span className="sr-only"> of {template.name}</span>
      <OpenIcon aria-hidden="true" className="size-3" />
    </a>
  ),
});

export const emptyCard = (value: string) => ({
  value,
  label: 'An empty WordPress',
  hint: 'The newest version, nothing else',
  picture: <Placeholder icon={EmptyPageIcon} />,
});

function hintOf({ description, plugins }: Template): string {
  return plugins && plugins.length > 0 ? `${description} · ${plugins.join(', ')}` : description;
}

/** Nothing depends on it: where it can not be had, a drawing stands for it. */
function TemplatePicture({ url }: { url: string | null }) {
  const [hasFailed, setHasFailed] = useState(false);
  if (url === null || hasFailed) return <Placeholder icon={TemplateIcon} />;
  const { pathname, search } = new URL(url);
  return (
    <img
      src={`${pathname}${search}`}
      alt=""
      loading="lazy"
      onError={() => setHasFailed(true)}
      className="aspect-4/3 w-full rounded-md border border-line object-cover object-top"
    />
  );
}

function Placeholder({ icon: Icon }: { icon: typeof TemplateIcon }) {
  return (
    <span className="grid aspect-4/3 w-full place-items-center rounded-md border border-line bg-raised text-muted">
      <Icon aria-hidden="true" className="size-8" strokeWidth={1.25} />
    </span>
  );
}
