import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { messageOf } from '../../ui/form.tsx';
import { toast } from '../../ui/toast.tsx';

/** Leads to the payment provider's own pages; they lead back by themselves. */
export function ManageBillingButton({ children = 'Manage billing', variant = 'secondary' }: ButtonProps) {
  const open = useMutation({
    mutationFn: () => api.createPortalSession(),
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Button variant={variant} pending={open.isPending} onClick={() => open.mutate()}>
      {children}
    </Button>
  );
}
