import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Notifications as Choice } from '#sdk';
import { api } from '../../api/client.ts';
import { mailKinds } from '../../api/mail-kinds.ts';
import { useMe } from '../../api/session.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Section } from '../../ui/card.tsx';
import { messageOf } from '../../ui/form.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { notificationsQuery } from './account-queries.ts';

/** Each switch is saved as it is turned. */
export function Notifications() {
  const me = useMe();
  const query = useQuery(notificationsQuery);
  const queryClient = useQueryClient();

  async function turn(kind: keyof Choice, isOn: boolean) {
    const { queryKey } = notificationsQuery;
    const before = queryClient.getQueryData(queryKey);
    if (before) queryClient.setQueryData(queryKey, { ...before, [kind]: isOn });
    try {
      queryClient.setQueryData(queryKey, await api.updateNotifications({ body: { [kind]: isOn } }));
    } catch (error) {
      queryClient.setQueryData(queryKey, before);
      toast.error(messageOf(error));
    }
  }

  return (
    <Section title="Emails" description={`What we email ${me.email} about. Changes are saved at once.`} flush>
      <Loaded query={query}>
        {(choice) => (
          <div className="divide-y divide-line">
            {mailKinds.map(({ kind, label, hint }) => (
              <Switch
                key={kind}
                className="px-5 py-4"
                label={label}
                hint={hint}
                checked={choice[kind]}
                onCheckedChange={(isOn) => void turn(kind, isOn)}
              />
            ))}
          </div>
        )}
      </Loaded>
      <p className="border-line border-t px-5 py-4 text-muted text-xs">
        Some emails are always sent, because your account or a site depends on them: sign-in and security, a domain that
        another team took, and sites that go offline because they are not paid for.
      </p>
    </Section>
  );
}
