// A page, or a part of one, whose script comes when it is first shown.
import { type ComponentChildren, type ComponentType, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { reloadOnce, scriptIsThere } from '../state/route.ts';
import { ErrorState, Loading } from './answers.tsx';

// biome-ignore lint/suspicious/noExplicitAny: each page reads the parameters that its own pattern has
type View = ComponentType<any>;

/**
 * @param load gives the page's module
 * @param waiting is shown until it is there
 */
export function laterPage(
  load: () => Promise<{ readonly default: View }>,
  waiting: ComponentChildren = <Loading lines={6} />,
): View {
  let loaded: View | undefined;
  return function LaterPage(params: object) {
    const [view, setView] = useState(() => loaded);
    const [error, setError] = useState<Error>();
    useEffect(() => {
      if (view !== undefined) return;
      load().then(
        (module) => {
          scriptIsThere();
          loaded = module.default;
          setView(() => loaded);
        },
        (failure: Error) => {
          if (!reloadOnce()) setError(failure);
        },
      );
    }, [view]);
    if (view !== undefined) return h(view, params);
    if (error === undefined) return waiting;
    return <ErrorState error={error} onRetry={() => location.reload()} />;
  };
}
