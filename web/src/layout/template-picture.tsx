import { useState } from 'react';
import { cx } from '../ui/cx.ts';
import { TemplateIcon } from '../ui/icons.ts';

/** Decorative image of a template; an icon replaces a missing one. */
export function TemplatePicture({ url, className = 'w-full' }: { url: string | null; className?: string }) {
  const [hasFailed, setHasFailed] = useState(false);
  if (url === null || hasFailed) return <PicturePlaceholder icon={TemplateIcon} className={className} />;
  const { pathname, search } = new URL(url);
  return (
    <img
      src={`${pathname}${search}`}
      alt=""
      loading="lazy"
      onError={() => setHasFailed(true)}
      className={cx('aspect-4/3 rounded-md border border-line object-cover object-top', className)}
    />
  );
}

type PlaceholderProps = { icon: typeof TemplateIcon; className?: string };

export function PicturePlaceholder({ icon: Icon, className = 'w-full' }: PlaceholderProps) {
  return (
    <span
      className={cx('grid aspect-4/3 place-items-center rounded-md border border-line bg-raised text-muted', className)}
    >
      <Icon aria-hidden="true" className="size-1/3" strokeWidth={1.25} />
    </span>
  );
}
