import { getRouteApi, Link } from '@tanstack/react-router';
import { isStatus } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { AuthCard, textLink } from '../layout/auth-layout.tsx';
import { Field } from '../ui/field.tsx';
import { Form, SubmitButton } from '../ui/form.tsx';
import { Input, PasswordInput } from '../ui/input.tsx';

const route = getRouteApi('/auth/sign-in');

export function SignInPage() {
  const { next, email } = route.useSearch();
  const { signIn } = useSession();
  return (
    <AuthCard
      title="Sign in"
      footer={
        <>
          New here?{' '}
          <Link to="/register" search={{ next, email }} className={textLink}>
            Create an account
          </Link>
        </>
      }
    >
      <Form
        submit={({ username = '', password = '' }) => signIn(username, password, next)}
        remedy={(error) =>
          isStatus(error, 429) && (
            <Link to="/reset" className={textLink}>
              Mail me a link
            </Link>
          )
        }
      >
        <Field name="username" label="Email">
          <Input type="email" autoComplete="username" defaultValue={email} required autoFocus />
        </Field>
        <Field
          name="password"
          label="Password"
          aside={
            <Link to="/reset" className={`${textLink} text-xs`}>
              Forgot it?
            </Link>
          }
        >
          <PasswordInput autoComplete="current-password" required />
        </Field>
        <SubmitButton size="lg">Sign in</SubmitButton>
      </Form>
    </AuthCard>
  );
}
