import { Combobox as BaseCombobox } from '@base-ui/react/combobox';
import { cx } from './cx.ts';
import { CheckIcon, ChevronsIcon } from './icons.ts';
import { controlStyle } from './input.tsx';

/** A searchable choice among many plain strings, such as time zones. */
export function Combobox({
  items,
  defaultValue,
  required,
  disabled,
}: {
  items: string[];
  defaultValue?: string;
  required?: boolean;
  disabled?: boolean;
}) {
  return (
    <BaseCombobox.Root items={items} defaultValue={defaultValue} required={required} disabled={disabled} autoHighlight>
      <div className="relative">
        <BaseCombobox.Input className={cx(controlStyle, 'h-9 any-pointer-coarse:h-10 pr-9')} />
        <BaseCombobox.Trigger
          aria-label="Show all"
          className="absolute inset-y-0 right-0 grid w-9 place-items-center text-muted"
        >
          <ChevronsIcon />
        </BaseCombobox.Trigger>
      </div>
      <BaseCombobox.Portal>
        <BaseCombobox.Positioner sideOffset={6} collisionPadding={8} className="z-50">
          <BaseCombobox.Popup className="popup max-h-[min(var(--available-height),18rem)] w-(--anchor-width) overflow-y-auto p-1.5">
            <BaseCombobox.Empty className="px-2.5 py-1.5 text-muted empty:hidden">Nothing found.</BaseCombobox.Empty>
            <BaseCombobox.List>
              {(item: string) => (
                <BaseCombobox.Item
                  key={item}
                  value={item}
                  className="flex cursor-default select-none items-center justify-between gap-3 rounded-lg px-2.5 py-1.5 any-pointer-coarse:py-2.5 text-sm outline-none data-highlighted:bg-raised"
                >
                  {item}
                  <BaseCombobox.ItemIndicator className="text-accent-text">
                    <CheckIcon />
                  </BaseCombobox.ItemIndicator>
                </BaseCombobox.Item>
              )}
            </BaseCombobox.List>
          </BaseCombobox.Popup>
        </BaseCombobox.Positioner>
      </BaseCombobox.Portal>
    </BaseCombobox.Root>
  );
}
