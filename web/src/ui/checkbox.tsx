import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { CheckboxGroup as BaseCheckboxGroup } from '@base-ui/react/checkbox-group';
import { Field } from '@base-ui/react/field';
import { Fieldset } from '@base-ui/react/fieldset';
import { cx } from './cx.ts';
import { labelStyle } from './field.tsx';
import { CheckIcon } from './icons.ts';

type CheckboxGroupProps = {
  name: string;
  legend: string;
  defaultValue: string[];
  options: { value: string; label: string; hint?: string }[];
  hint?: string;
  className?: string;
};

export function CheckboxGroup({ name, legend, defaultValue, options, hint, className }: CheckboxGroupProps) {
  return (
    <Field.Root name={name}>
      <Fieldset.Root
        render={<BaseCheckboxGroup defaultValue={defaultValue} />}
        className={cx('grid gap-2.5', className)}
      >
        <Fieldset.Legend className={cx(labelStyle, 'col-span-full')}>
          {legend}
          {hint && <span className="mt-0.5 block font-normal text-muted text-xs">{hint}</span>}
        </Fieldset.Legend>
        {options.map((option) => (
          <Field.Item key={option.value} className="flex gap-2.5">
            <BaseCheckbox.Root
              value={option.value}
              className="mt-0.5 grid size-4.5 shrink-0 place-items-center rounded-md border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent"
            >
              <BaseCheckbox.Indicator className="text-accent-fg">
                <CheckIcon className="size-3.5" strokeWidth="3" />
              </BaseCheckbox.Indicator>
            </BaseCheckbox.Root>
            <div>
              <Field.Label className="text-sm">{option.label}</Field.Label>
              {option.hint && <Field.Description className="text-muted text-xs">{option.hint}</Field.Description>}
            </div>
          </Field.Item>
        ))}
      </Fieldset.Root>
      <Field.Error className="mt-1.5 text-danger-text text-xs leading-5" />
    </Field.Root>
  );
}

type CheckboxProps = { label: string; checked: boolean; onCheckedChange: (checked: boolean) => void };

/** One alone, whose label is what stands beside it already. */
export function Checkbox({ label, checked, onCheckedChange }: CheckboxProps) {
  return (
    <BaseCheckbox.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={onCheckedChange}
      className="relative z-10 grid size-4.5 shrink-0 cursor-pointer place-items-center rounded-md border border-line-strong bg-surface before:absolute before:-inset-2.5 data-checked:border-accent data-checked:bg-accent"
    >
      <BaseCheckbox.Indicator className="text-accent-fg">
        <CheckIcon className="size-3.5" strokeWidth="3" />
      </BaseCheckbox.Indicator>
    </BaseCheckbox.Root>
  );
}
