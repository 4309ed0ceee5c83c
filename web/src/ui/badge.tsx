import { cva, type VariantProps } from 'class-variance-authority';
import type { ReactNode } from 'react';

const badgeStyle = cva(
  'inline-flex h-5.5 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-full px-2 font-medium text-xs',
  {
    variants: {
      tone: {
        neutral: 'bg-raised text-muted',
        accent: 'bg-accent-soft text-accent-text',
        warn: 'bg-warn-soft text-warn-text',
        danger: 'bg-danger-soft text-danger-text',
      },
    },
    defaultVariants: { tone: 'neutral' },
  },
);

export type BadgeTone = NonNullable<VariantProps<typeof badgeStyle>['tone']>;

export function Badge({ tone, children }: VariantProps<typeof badgeStyle> & { children: ReactNode }) {
  return <span className={badgeStyle({ tone })}>{children}</span>;
}
