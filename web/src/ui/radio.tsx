import { Field } from '@base-ui/react/field';
import { Fieldset } from '@base-ui/react/fieldset';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup as BaseRadioGroup } from '@base-ui/react/radio-group';
import { labelStyle } from './field.tsx';

type RadioGroupProps = {
  name: string;
  legend: string;
  options: { value: string; label: string; hint?: string }[];
};

/** A question that has to be answered: nothing is chosen to begin with. */
export function RadioGroup({ name, legend, options }: RadioGroupProps) {
  return (
    <Field.Root name={name}>
      <Fieldset.Root render={<BaseRadioGroup required />} className="grid gap-3">
        <Fieldset.Legend className={labelStyle}>{legend}</Fieldset.Legend>
        {options.map((option) => (
          <Field.Item key={option.value} className="flex gap-2.5">
            <Radio.Root
              value={option.value}
              className="mt-0.5 grid size-4.5 shrink-0 place-items-center rounded-full border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent"
            >
              <Radio.Indicator className="size-2 rounded-full bg-accent-fg" />
            </Radio.Root>
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
