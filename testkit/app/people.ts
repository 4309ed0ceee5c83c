import { type Client, createClient } from '#sdk';
import type { TestApp } from './test-app.ts';

/** Somebody signed in, with the SDK as their hands. */
export interface Person {
  email: string;
  token: string;
  userId: string;
  /** The team that registering made for them. */
  teamId: string;
  api: Client;
}

export const PASSWORD = 'a long enough password';
let nextNumber = 1;

/** Somebody whose address is confirmed, as if they had used the mailed link, unless they are to be without. */
export async function registerPerson(app: TestApp, name = 'Person', { verified = true } = {}): Promise<Person> {
  const email = `${name.toLowerCase()}${nextNumber++}@example.com`;
  const anonymous = createClient({ baseUrl: app.url });
  const user = await anonymous.register({ body: { email, password: PASSWORD, first_name: name, last_name: 'Tester' } });
  if (verified) await markVerified(app, email);
  const person = await signInAs(app, email, PASSWORD);
  const team = (await person.api.listTeams()).results[0];
  return { ...person, userId: user.id, teamId: team?.id as string };
}

export async function markVerified({ services }: Pick<TestApp, 'services'>, email: string): Promise<void> {
  await services.db.updateTable('users').set({ is_verified: true }).where('email', '=', email).execute();
}

export async function signInAs(
  app: Pick<TestApp, 'url'>,
  email: string,
  password = PASSWORD,
): Promise<Omit<Person, 'userId' | 'teamId'>> {
  const grant = await createClient({ baseUrl: app.url }).signIn({ body: { username: email, password } });
  return { email, token: grant.access_token, api: createClient({ baseUrl: app.url, token: grant.access_token }) };
}

/** Lets a person into another's team, through an invite and its mail, as it happens for real. */
export async function letIn(
  owner: Person,
  guest: Person,
  role: 'admin' | 'member' | 'viewer',
  teamId = owner.teamId,
): Promise<void> {
  const invite = await owner.api.createInvite({
    params: { team_id: teamId },
    body: { target_email: guest.email, first_name: 'Guest', role },
  });
  await guest.api.acceptInvite({ body: { token: new URL(invite.link).searchParams.get('token') as string } });
}
