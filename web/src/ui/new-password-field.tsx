import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { cx } from './cx.ts';
import { Field } from './field.tsx';
import { WandIcon } from './icons.ts';
import { PasswordInput } from './input.tsx';
import { generatePassword, type Strength, strengthOf } from './password-strength.ts';

type NewPasswordFieldProps = {
  name: string;
  label: string;
  /** What the password should not contain. */
  names: string[];
};

/** A password that is being chosen: made up on demand, and weighed while one types. */
export function NewPasswordField({ name, label, names }: NewPasswordFieldProps) {
  const [value, setValue] = useState('');
  // A new key lets the input start over, readable, with what was made up.
  const [round, setRound] = useState(0);
  function generate() {
    setValue(generatePassword());
    setRound(round + 1);
  }
  return (
    <Field
      name={name}
      label={label}
      hint={<Weighed strength={value === '' ? undefined : strengthOf(value, names)} />}
      aside={
        <button
          type="button"
          onClick={generate}
          className="inline-flex items-center gap-1.5 rounded text-accent-text text-xs underline-offset-4 hover:underline"
        >
          <WandIcon className="size-3.5" /> Generate
        </button>
      }
    >
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <PasswordInput
            key={round}
            initiallyShown={round > 0}
            value={value}
            onValueChange={(next) => setValue(String(next))}
            autoComplete="new-password"
            required
          />
        </div>
        {round > 0 && <CopyButton text={value} label="Copy the password" />}
      </div>
    </Field>
  );
}

const colours = ['bg-danger', 'bg-danger', 'bg-warn', 'bg-accent'];

function Weighed({ strength }: { strength: Strength | undefined }) {
  if (!strength) return 'Longer is safer. Keep it: it is shown nowhere later.';
  return (
    <span className="flex items-center gap-2.5" aria-live="polite">
      <span aria-hidden="true" className="flex w-16 shrink-0 gap-1">
        {[1, 2, 3].map((step) => (
          <span
            key={step}
            className={cx(
              'h-1 flex-1 rounded-full',
              strength.level >= step ? colours[strength.level] : 'bg-line-strong',
            )}
          />
        ))}
      </span>
      {strength.text}
    </span>
  );
}
