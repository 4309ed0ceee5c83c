import { Select as BaseSelect } from '@base-ui/react/select';
import { cx } from './cx.ts';
import { CheckIcon, ChevronsIcon } from './icons.ts';
import { controlStyle } from './input.tsx';

type Option = { value: string; label: string; hint?: string };

type SelectProps = {
  options: Option[];
  defaultValue?: string;
  value?: string;
  onValueChange?: (value: string) => void;
  placeholder?: string;
  required?: boolean;
  /** Only outside of a Field, whose label names it otherwise. */
  'aria-label'?: string;
  className?: string;
};

export function Select({
  options,
  defaultValue,
  value,
  onValueChange,
  placeholder = 'Choose…',
  required,
  className,
  ...aria
}: SelectProps) {
  return (
    <BaseSelect.Root
      items={options}
      defaultValue={defaultValue}
      value={value}
      onValueChange={(next) => onValueChange?.(next as string)}
      required={required}
      modal={false}
    >
      <BaseSelect.Trigger
        {...aria}
        className={cx(
          controlStyle,
          'flex h-9 any-pointer-coarse:h-10 min-w-0 items-center justify-between gap-2 text-left',
          className,
        )}
      >
        <BaseSelect.Value placeholder={placeholder} className="truncate data-placeholder:text-muted" />
        <BaseSelect.Icon className="text-muted">
          <ChevronsIcon />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={6} alignItemWithTrigger={false} collisionPadding={8} className="z-50">
          <BaseSelect.Popup className="popup max-h-[min(var(--available-height),20rem)] min-w-(--anchor-width) max-w-(--available-width) overflow-y-auto p-1.5">
            <BaseSelect.List>
              {options.map((option) => (
                <BaseSelect.Item
                  key={option.value}
                  value={option.value}
                  className="grid cursor-default select-none grid-cols-[1fr_1rem] items-center gap-3 rounded-lg px-2.5 py-1.5 any-pointer-coarse:py-2.5 text-sm outline-none data-highlighted:bg-raised"
                >
                  <span className="min-w-0">
                    <BaseSelect.ItemText>{option.label}</BaseSelect.ItemText>
                    {option.hint && <span className="block text-muted text-xs">{option.hint}</span>}
                  </span>
                  <BaseSelect.ItemIndicator className="text-accent-text">
                    <CheckIcon />
                  </BaseSelect.ItemIndicator>
                </BaseSelect.Item>
              ))}
            </BaseSelect.List>
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}
