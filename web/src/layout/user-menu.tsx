import { useNavigate } from '@tanstack/react-router';
import { useMe, useSession } from '../api/session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { messageOf } from '../ui/form.tsx';
import { ChevronsIcon, SettingsIcon, SignOutIcon } from '../ui/icons.ts';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';

export function UserMenu({ compact }: { compact?: boolean }) {
  const me = useMe();
  const { signOut } = useSession();
  const navigate = useNavigate();
  const avatar = <Avatar name={me.full_name} id={me.id} />;
  return (
    <Menu
      side={compact ? 'bottom' : 'top'}
      align={compact ? 'end' : 'start'}
      className="min-w-56"
      trigger={
        compact ? (
          <button type="button" className="grid size-10 place-items-center rounded-full">
            {avatar}
            <span className="sr-only">Your account</span>
          </button>
        ) : (
          <button
            type="button"
            className="flex w-full min-w-0 items-center gap-2.5 rounded-lg p-1.5 text-left hover:bg-raised data-popup-open:bg-raised"
          >
            {avatar}
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium text-sm leading-5">{me.full_name}</span>
              <span className="block truncate text-muted text-xs">{me.email}</span>
            </span>
            <ChevronsIcon className="text-muted" />
          </button>
        )
      }
    >
      {compact && (
        <>
          <div className="px-2.5 py-1.5">
            <p className="font-medium">{me.full_name}</p>
            <p className="text-muted text-xs">{me.email}</p>
          </div>
          <MenuSeparator />
        </>
      )}
      <MenuItem icon={<SettingsIcon />} onClick={() => void navigate({ to: '/account' })}>
        Account
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<SignOutIcon />} onClick={() => void signOut().catch((error) => toast.error(messageOf(error)))}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
