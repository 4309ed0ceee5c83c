import type { Template } from '#sdk';
import { PicturePlaceholder, TemplatePicture } from '../../layout/template-picture.tsx';
import { capitalise } from '../../ui/format.ts';
import { EmptyPageIcon, OpenIcon } from '../../ui/icons.ts';

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
  picture: <PicturePlaceholder icon={EmptyPageIcon} />,
});

function hintOf({ description, plugins }: Template): string {
  return plugins && plugins.length > 0 ? `${description} · ${plugins.join(', ')}` : description;
}
