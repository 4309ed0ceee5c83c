import { cva, type VariantProps } from 'class-variance-authority';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { takeFocus } from './focus.ts';
import { Spinner } from './spinner.tsx';

export const buttonStyle = cva(
  'relative inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium text-sm transition-colors duration-100 data-disabled:cursor-not-allowed data-disabled:opacity-60',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-accent-fg shadow-card hover:not-data-disabled:bg-accent-hover',
        secondary:
          'border border-line-strong bg-surface text-fg shadow-card hover:not-data-disabled:bg-raised data-popup-open:bg-raised',
        ghost:
          'text-muted hover:not-data-disabled:bg-raised hover:not-data-disabled:text-fg data-popup-open:bg-raised data-popup-open:text-fg',
        /** Opens the confirmation of an irreversible action; the button that runs it is `danger`. */
        dangerOutline:
          'border border-danger/50 bg-surface text-danger-text shadow-card hover:not-data-disabled:bg-danger-soft data-popup-open:bg-danger-soft',
        danger: 'bg-danger text-danger-fg shadow-card hover:not-data-disabled:bg-danger-hover',
      },
      size: {
        sm: 'h-8 px-3',
        md: 'h-9 px-3.5',
        lg: 'h-10 px-4',
        icon: 'size-8 [@media(any-pointer:coarse)]:size-10',
      },
    },
    defaultVariants: { variant: 'primary', size: 'md' },
  },
);

export type ButtonProps = Omit<ComponentProps<'button'>, 'className'> &
  VariantProps<typeof buttonStyle> & { className?: string | undefined; pending?: boolean };

/** While `pending`, the button keeps its width and its focus, and does nothing. */
export function Button({
  variant,
  size,
  className,
  pending = false,
  disabled = false,
  autoFocus,
  onClick,
  children,
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      {...(autoFocus && { ref: takeFocus })}
      {...props}
      disabled={disabled && !pending}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      data-disabled={disabled || pending ? '' : undefined}
      onClick={pending ? ignore : onClick}
      className={cx(buttonStyle({ variant, size }), className)}
    >
      {pending && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner />
        </span>
      )}
      <span className={cx('inline-flex items-center gap-2', pending && 'opacity-0')}>{children}</span>
    </button>
  );
}

function ignore(event: Event): void {
  event.preventDefault();
}
