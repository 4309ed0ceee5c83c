import { createElement, lazy, type ReactNode, useState } from 'react';

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

/** A part of a page that comes when it is shown first, or when somebody is about to: `preload`, which does not fail. */
export type LazyView<Props> = { View: View<Props>; preload: () => Promise<void> };

export function lazyView<Props extends object>(load: () => Promise<View<Props>>): LazyView<Props> {
  let known: View<Props> | undefined;
  const loadOnce = async () => {
    known = await load();
    return known;
  };
  const Later = lazy(() =>
    whenOnline(loadOnce).then((component) => ({ default: component })),
  ) as unknown as View<Props>;
  return {
    // What is there already is drawn at once; it would wait for a turn of the browser otherwise, and be drawn as loading until then.
    View(props) {
      const [Shown] = useState(() => known ?? Later);
      return createElement(Shown as never, props);
    },
    // What fails now is asked for once more, and told, when it is shown.
    preload: () =>
      loadOnce().then(
        () => {},
        () => {},
      ),
  };
}
