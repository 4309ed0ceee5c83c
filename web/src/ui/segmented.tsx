import { Choice, ChoiceGroup } from './choice.tsx';

type SegmentedProps = {
  label: string;
  /** Undefined while no option is selected. */
  value: string | undefined;
  onChange: (value: string) => void;
  options: { value: string; label: string }[];
};

/** One choice out of a few, all in sight. */
export function Segmented({ label, value, onChange, options }: SegmentedProps) {
  return (
    <ChoiceGroup
      label={label}
      value={value ?? ''}
      onChange={onChange}
      className="inline-flex max-w-full flex-wrap gap-0.5 rounded-lg bg-raised p-0.5"
    >
      {options.map((option) => (
        <Choice
          key={option.value}
          value={option.value}
          className="inline-flex h-7.5 any-pointer-coarse:h-9 cursor-pointer select-none items-center rounded-md px-2 sm:px-2.5 font-medium text-muted text-sm hover:text-fg data-checked:bg-surface data-checked:text-fg data-checked:shadow-card dark:data-checked:bg-line-strong"
        >
          {option.label}
        </Choice>
      ))}
    </ChoiceGroup>
  );
}
