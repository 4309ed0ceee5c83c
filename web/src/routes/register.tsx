import { getRouteApi, Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { Field } from '../ui/field.tsx';
import { Form, SubmitButton } from '../ui/form.tsx';
import { Input, PasswordInput } from '../ui/input.tsx';

const route = getRouteApi('/auth/register');

export function RegisterPage() {
  const { next, email: invited } = route.useSearch();
  const { signIn } = useSession();

  async function submit({ email = '', password = '', first_name = '', last_name = '' }: Record<string, string>) {
    await api.register({ body: { email, password, first_name, last_name } });
    await signIn(email, password, next);
  }

  return (
    <AuthCard
      title="Create your account"
      description="It comes with a free team of your own."
      footer={
        <>
          Already have one?{' '}
          <Link to="/sign-in" search={{ next, email: invited }} className={textLink}>
            Sign in
          </Link>
        </>
      }
    >
      <Form submit={submit} fieldOfCode={{ 'account.exists': 'email' }}>
        <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
          <Field name="first_name" label="First name">
            <Input autoComplete="given-name" required autoFocus />
          </Field>
          <Field name="last_name" label="Last name">
            <Input autoComplete="family-name" required />
          </Field>
        </div>
        <Field name="email" label="Email">
          <Input type="email" autoComplete="username" defaultValue={invited} required />
        </Field>
        <Field name="password" label="Password" hint="At least 8 characters. Several words make a good one.">
          <PasswordInput autoComplete="new-password" minLength={8} required />
        </Field>
        <SubmitButton size="lg">Create account</SubmitButton>
      </Form>
    </AuthCard>
  );
}
