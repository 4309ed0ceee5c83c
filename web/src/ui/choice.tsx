import { createContext, type KeyboardEvent, type ReactNode, useContext } from 'react';

type ChoiceState = { value: string; onChange: (value: string) => void };

const ChoiceContext = createContext<ChoiceState>({ value: '', onChange: () => {} });

type ChoiceGroupProps = ChoiceState & { label: string; name?: string; className: string; children: ReactNode };

/** One out of a few, all in sight: one stop for the keyboard, the arrows go from one to the next and choose it. */
export function ChoiceGroup({ label, name, value, onChange, className, children }: ChoiceGroupProps) {
  return (
    <ChoiceContext value={{ value, onChange }}>
      <div role="radiogroup" aria-label={label} className={className} onKeyDown={moveByKey}>
        {name && <input type="hidden" name={name} value={value} />}
        {children}
      </div>
    </ChoiceContext>
  );
}

type ChoiceProps = {
  value: string;
  disabled?: boolean;
  'aria-label'?: string;
  'aria-labelledby'?: string;
  'aria-describedby'?: string;
  className: string;
  children: ReactNode;
};

export function Choice({ value, disabled, ...props }: ChoiceProps) {
  const { value: chosen, onChange } = useContext(ChoiceContext);
  const isChosen = value === chosen;
  return (
    // biome-ignore lint/a11y/useSemanticElements: it shows more than an input can.
    <button
      {...props}
      type="button"
      role="radio"
      aria-checked={isChosen}
      aria-disabled={disabled}
      disabled={disabled}
      // Until an option is selected, each one is a tab stop.
      tabIndex={isChosen || chosen === '' ? 0 : -1}
      data-checked={isChosen ? '' : undefined}
      data-disabled={disabled ? '' : undefined}
      onClick={() => onChange(value)}
    />
  );
}

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function moveByKey(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  if (!step) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=radio]:not(:disabled)')];
  const next = all.at((all.indexOf(event.target as HTMLElement) + step) % all.length);
  event.preventDefault();
  next?.focus();
  next?.click();
}
