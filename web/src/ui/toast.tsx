import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { CheckCircleIcon, CloseIcon, WarningIcon } from './icons.ts';

const manager = Toast.createToastManager();

export const toast = {
  success: (title: string) => manager.add({ title, type: 'success', timeout: 4000 }),
  error: (title: string) => manager.add({ title, type: 'error', timeout: 8000, priority: 'high' }),
};

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 left-4 z-60 flex flex-col gap-2 sm:left-auto sm:w-88">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((item) => {
    const failed = item.type === 'error';
    const Icon = failed ? WarningIcon : CheckCircleIcon;
    return (
      <Toast.Root
        key={item.id}
        toast={item}
        className="popup translate-x-(--toast-swipe-movement-x) rounded-xl transition-[opacity,translate,scale] duration-200 data-limited:hidden data-starting-style:translate-y-3"
      >
        <Toast.Content className="flex items-start gap-3 py-3 pr-2 pl-4">
          <Icon className={cx('mt-0.5', failed ? 'text-danger-text' : 'text-accent-text')} />
          <Toast.Title className="min-w-0 flex-1 text-sm" render={<p />} />
          {/* Base UI hides it from screen readers until the pile is opened, and the keyboard reaches it all the same. */}
          <Toast.Close
            aria-label="Dismiss"
            aria-hidden={false}
            className="-my-1 grid size-8 place-items-center rounded-lg text-muted hover:text-fg"
          >
            <CloseIcon />
          </Toast.Close>
        </Toast.Content>
      </Toast.Root>
    );
  });
}
