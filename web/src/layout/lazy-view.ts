import { lazy, type ReactNode } from 'react';

/** Without a connection the router would load everything anew and end on the browser's own page; this waits for it. */
export async function whenOnline<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (navigator.onLine) throw error;
    await new Promise((resolve) => addEventListener('online', resolve, { once: true }));
    return load();
  }
}

type View<Props> = (props: Props) => ReactNode;

/** A part of a page that comes when it is shown first, or when somebody is about to: `preload`. */
export type LazyView<Props> = { View: View<Props>; preload: () => void };

export function lazyView<Props extends object>(load: () => Promise<View<Props>>): LazyView<Props> {
  const View = lazy(() => whenOnline(load).then((component) => ({ default: component })));
  return {
    View: View as unknown as View<Props>,
    // What fails now is asked for once more, and told, when it is shown.
    preload: () => void load().catch(() => {}),
  };
}
