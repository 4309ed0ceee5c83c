import { useState } from 'react';
import type { Team, User } from '#sdk';
import { cx } from '../../ui/cx.ts';
import { Field } from '../../ui/field.tsx';
import { ChevronRightIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';

type MoreOptionsProps = {
  me: User;
  team: Team | undefined;
  isFree: boolean;
  onFreeChange: (isFree: boolean) => void;
};

export function MoreOptions({ me, team, isFree, onFreeChange }: MoreOptionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-ml-1 inline-flex items-center gap-1.5 rounded py-1 font-medium text-muted text-sm hover:text-fg"
      >
        <ChevronRightIcon className={cx('transition-transform', isOpen && 'rotate-90')} /> More options
      </button>
      {isOpen && (
        <div className="grid gap-5 pt-4">
          <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
            <Field name="cms_first_name" label="First name">
              <Input defaultValue={me.first_name} required autoComplete="off" />
            </Field>
            <Field name="cms_last_name" label="Last name">
              <Input defaultValue={me.last_name} required autoComplete="off" />
            </Field>
          </div>
          {/* On the plan free there is one slot, whatever the flag says. */}
          {team?.plan_type_name !== 'free' && (
            <Switch
              checked={isFree}
              onCheckedChange={onFreeChange}
              label="Use the team's free slot"
              hint="Each team may have one free site. It takes no slot of the plan, and sleeps after 15 idle minutes."
            />
          )}
        </div>
      )}
    </div>
  );
}
