import { cx } from './cx.ts';
import { LoaderIcon } from './icons.ts';

export function Spinner({ className }: { className?: string }) {
  return <LoaderIcon className={cx('animate-spin', className)} />;
}
