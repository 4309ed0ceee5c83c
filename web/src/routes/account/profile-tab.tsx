import { DeleteAccount } from './delete-account.tsx';
import { EmailAddress } from './email-address.tsx';
import { Profile } from './profile.tsx';

export function ProfileTab() {
  return (
    <div className="grid gap-6">
      <Profile />
      <EmailAddress />
      <DeleteAccount />
    </div>
  );
}
