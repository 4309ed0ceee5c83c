import { type ReactNode, useEffect } from 'react';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Siteyard`;
  }, [title]);
}

type PageHeaderProps = {
  title: string;
  /** Window title, if it has to say more than the heading. */
  windowTitle?: string | undefined;
  description?: ReactNode;
  badges?: ReactNode;
  /** In a line of its own under the title, where it stays whatever the title is. */
  below?: ReactNode;
  back?: ReactNode;
  /** A picture before the title. */
  icon?: ReactNode;
  action?: ReactNode;
};

export function PageHeader(props: PageHeaderProps) {
  const { title, windowTitle = title, description, badges, below, back, icon, action } = props;
  useTitle(windowTitle);
  return (
    <header className="mb-7">
      {back && <div className="mb-3">{back}</div>}
      {/* The action moves below a title and its description that it would leave less than this. */}
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0 flex-1 basis-40 sm:basis-72">
          <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
            {icon}
            <h1 className="font-semibold text-xl leading-7 tracking-tight sm:text-2xl sm:leading-8">{title}</h1>
            {badges}
            {below && <div className="basis-full pb-1">{below}</div>}
          </div>
          {description && <p className="mt-1 text-muted">{description}</p>}
        </div>
        {action}
      </div>
    </header>
  );
}
