import { Password } from './password.tsx';
import { SecondFactorSection } from './second-factor.tsx';

export function SecurityTab() {
  return (
    <div className="grid gap-6">
      <Password />
      <SecondFactorSection />
    </div>
  );
}
