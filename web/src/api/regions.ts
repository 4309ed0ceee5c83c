import { queryOptions } from '@tanstack/react-query';
import type { Region } from '#sdk';
import { api } from './client.ts';

export const regionsQuery = queryOptions({
  queryKey: ['regions'],
  queryFn: ({ signal }) => api.listRegions({ signal }),
});

/** Where that is. A server that nobody gave a place has the code that stands for none, and its country would say nothing. */
export const placeOf = ({ city, country, country_code }: Region): string =>
  country_code === 'ZZ' ? city : `${city}, ${country}`;
