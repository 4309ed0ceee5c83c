import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ApiError, type Me, type SecondStep } from '#sdk';
import { api, isForeignCookie, isStatus } from './client.ts';

/** Null when nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal, client, queryKey }): Promise<Me | null> => {
    try {
      return await api.getMe({ signal });
    } catch (error) {
      // Whoever was signed in until now is led away by the query client; the page meanwhile keeps what it shows.
      if (isStatus(error, 401) && !isForeignCookie(error) && !client.getQueryData(queryKey)) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** Who is signed in. Only for what stands under the signed-in layout, which guarantees that there is someone. */
export function useMe(): Me {
  const { data } = useSuspenseQuery(meQuery);
  if (!data) throw new Error('useMe needs a signed-in user');
  return data;
}

/** A path of the platform, or the start page for anything that could lead elsewhere. */
export function safeNext(next: string | undefined): string {
  return next && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/';
}

/** What the server answers itself, such as the sign-in of the metrics dashboard, is no page of this router. */
export function isServers(path: string): boolean {
  return path.startsWith('/f/');
}

/** By a full load, so that nothing of the former session stays in memory. */
export function leaveTo(path: string): void {
  location.assign(path);
}

export function useSession() {
  const queryClient = useQueryClient();
  const router = useRouter();

  /** After any call that gave this browser another session: forget what the former one saw. Mailed links belong to none. */
  async function entered(next?: string): Promise<void> {
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'link' });
    await queryClient.fetchQuery(meQuery);
    if (next === undefined) return;
    const path = safeNext(next);
    if (isServers(path)) leaveTo(path);
    else router.history.push(path);
  }

  return {
    entered,
    /** What is asked for next, where the password is right and not enough. */
    async signIn(email: string, password: string, next?: string): Promise<SecondStep | undefined> {
      try {
        await api.signIn({ body: { grant_type: 'password', username: email, password } });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'auth.second_step_needed')
          return error.data.second_step as SecondStep;
        throw error;
      }
      await entered(next ?? '/');
      return undefined;
    },
    async signOut(): Promise<void> {
      await api.signOut({});
      leaveTo('/sign-in');
    },
  };
}
