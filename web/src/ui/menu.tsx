import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { cx } from './cx.ts';
import { CheckIcon } from './icons.ts';

const item =
  'flex min-h-8 any-pointer-coarse:min-h-10 cursor-default select-none items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-raised data-disabled:opacity-50';

type MenuProps = {
  trigger: ReactElement;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom';
  className?: string;
};

export function Menu({ trigger, children, align = 'end', side = 'bottom', className }: MenuProps) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={6} align={align} side={side} collisionPadding={8} className="z-50">
          <BaseMenu.Popup className={cx('popup max-h-(--available-height) min-w-48 overflow-y-auto p-1.5', className)}>
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

type MenuItemProps = Omit<ComponentProps<typeof BaseMenu.Item>, 'className'> & { icon?: ReactNode; danger?: boolean };

export function MenuItem({ icon, danger, children, ...props }: MenuItemProps) {
  return (
    <BaseMenu.Item {...props} className={cx(item, danger && 'text-danger-text data-highlighted:bg-danger-soft')}>
      <span className={danger ? undefined : 'text-muted'}>{icon}</span>
      {children}
    </BaseMenu.Item>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="-mx-1.5 my-1.5 h-px bg-line" />;
}

type MenuChoiceProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: { value: T; label: string; icon: ReactNode }[];
};

export function MenuChoice<T extends string>({ label, value, onChange, options }: MenuChoiceProps<T>) {
  return (
    <BaseMenu.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      <BaseMenu.GroupLabel className="px-2.5 pt-1 pb-1 text-muted text-xs">{label}</BaseMenu.GroupLabel>
      {options.map((option) => (
        <BaseMenu.RadioItem key={option.value} value={option.value} closeOnClick className={item}>
          <span className="text-muted">{option.icon}</span>
          {option.label}
          <BaseMenu.RadioItemIndicator className="ml-auto text-accent-text">
            <CheckIcon />
          </BaseMenu.RadioItemIndicator>
        </BaseMenu.RadioItem>
      ))}
    </BaseMenu.RadioGroup>
  );
}
