import type { InputHTMLAttributes, LooseInputHTMLAttributes, TextareaHTMLAttributes } from 'preact';
import { useState } from 'react';
import { cx } from './cx.ts';
import { useControl } from './field.tsx';
import { takeFocus } from './focus.ts';
import { EyeIcon, EyeOffIcon } from './icons.ts';

export const controlStyle =
  'w-full rounded-lg border border-line-strong bg-surface px-3 text-sm text-fg shadow-card transition-[border-color] duration-100 any-pointer-coarse:text-base placeholder:text-muted hover:not-disabled:border-muted/60 focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-accent/35 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:bg-raised disabled:text-muted aria-invalid:border-danger';

type Own = {
  name?: string;
  disabled?: boolean;
  className?: string | undefined;
  onValueChange?: (value: string) => void;
};
type InputProps = Omit<LooseInputHTMLAttributes<HTMLInputElement>, keyof Own | 'role'> & Own & { list?: string };
type TextareaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, keyof Own> & Own;

export function Input({ className, onValueChange, onChange, autoFocus, ...props }: InputProps) {
  return (
    <input
      {...(autoFocus && { ref: takeFocus })}
      // Preact's types tell inputs apart by their type, of which this one has many.
      {...(props as InputHTMLAttributes)}
      {...useControl(props)}
      onChange={(event) => {
        onChange?.(event);
        onValueChange?.(event.currentTarget.value);
      }}
      className={cx(controlStyle, 'h-9 any-pointer-coarse:h-10', className)}
    />
  );
}

export function Textarea({ className, rows = 5, onValueChange, onChange, ...props }: TextareaProps) {
  return (
    <textarea
      rows={rows}
      {...props}
      {...useControl(props)}
      onChange={(event) => {
        onChange?.(event);
        onValueChange?.(event.currentTarget.value);
      }}
      className={cx(controlStyle, 'field-sizing-content max-h-96 min-h-24 resize-y py-2 leading-relaxed', className)}
    />
  );
}

type PasswordInputProps = InputProps & {
  /** Whether it starts readable, as one does that was just made up. */
  initiallyShown?: boolean;
};

export function PasswordInput({ className, initiallyShown = false, ...props }: PasswordInputProps) {
  const [shown, setShown] = useState(initiallyShown);
  const Icon = shown ? EyeOffIcon : EyeIcon;
  return (
    <div className="relative">
      <Input
        {...props}
        type={shown ? 'text' : 'password'}
        spellcheck={false}
        autoCapitalize="none"
        className={cx('pr-10', className)}
      />
      <button
        type="button"
        aria-label="Show password"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-lg text-muted hover:text-fg focus-visible:-outline-offset-2"
      >
        <Icon />
      </button>
    </div>
  );
}
