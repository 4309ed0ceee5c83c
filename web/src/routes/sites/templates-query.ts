import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** Those that sites can be made from. */
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) => {
    const { results } = await api.listTemplates({ query: { size: 100 }, signal });
    return results.filter(({ ready }) => ready);
  },
  retry: false,
});
