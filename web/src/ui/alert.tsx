import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { CheckCircleIcon, InfoIcon, WarningIcon } from './icons.ts';

const tones = {
  info: { style: 'bg-raised text-fg', Icon: InfoIcon },
  success: { style: 'bg-accent-soft text-accent-text', Icon: CheckCircleIcon },
  warn: { style: 'bg-warn-soft text-warn-text', Icon: WarningIcon },
  danger: { style: 'bg-danger-soft text-danger-text', Icon: WarningIcon },
};

export function Alert({
  tone = 'info',
  children,
  action,
  className,
}: {
  tone?: keyof typeof tones;
  children: ReactNode;
  action?: ReactNode;
  className?: string;
}) {
  const { style, Icon } = tones[tone];
  return (
    <div
      role={tone === 'danger' ? 'alert' : undefined}
      className={cx('flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg px-3.5 py-2.5 text-sm', style, className)}
    >
      <div className="flex min-w-0 flex-1 basis-56 gap-2.5">
        <Icon className="mt-0.5" />
        <div className="min-w-0">{children}</div>
      </div>
      {action && <div className="max-sm:pl-6.5">{action}</div>}
    </div>
  );
}
