import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Software } from '#sdk';
import { api } from '../../../api/client.ts';
import type { Place } from '../../../api/sites.ts';
import { messageOf } from '../../../ui/form.tsx';
import { toast } from '../../../ui/toast.tsx';

export type Extension = Software['extensions'][number];

export const softwareQuery = ({ fqdn, stage }: Place) =>
  queryOptions({
    queryKey: ['software', fqdn, stage],
    queryFn: ({ signal }) => api.getSoftware({ params: { fqdn }, query: { stage }, signal }),
  });

/** Starts a change, or asks WordPress anew, and shows what the answer says; how it goes on the events tell. */
export function useSoftwareCall<Input>(place: Place, call: (input: Input) => Promise<Software>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: (software) => {
      queryClient.setQueryData(softwareQuery(place).queryKey, software);
      void queryClient.invalidateQueries({ queryKey: ['sites'] });
    },
    onError: (error) => toast.error(messageOf(error)),
  });
}

/** What can be asked of the API about the software of one place. */
export function callsOf({ fqdn, stage }: Place) {
  const at = { params: { fqdn }, query: { stage } };
  const one = ({ kind, name }: Extension) => ({ params: { fqdn, kind, name }, query: { stage } });
  return {
    check: () => api.checkSoftware(at),
    update: (body: Parameters<typeof api.updateSoftware>[0]['body'] & object) => api.updateSoftware({ ...at, body }),
    switch: ({ item, active }: { item: Extension; active: boolean }) =>
      api.switchExtension({ ...one(item), body: { active } }),
    remove: (item: Extension) => api.deleteExtension(one(item)),
  };
}
