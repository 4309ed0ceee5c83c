import type { ReactNode } from 'react';

export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="grid justify-items-center px-6 py-14 text-center">
      <div className="mb-4 grid size-11 place-items-center rounded-xl border border-line bg-raised text-muted [&_svg]:size-5">
        {icon}
      </div>
      <p className="font-medium">{title}</p>
      {children && <p className="mt-1 max-w-sm text-balance text-muted">{children}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}
