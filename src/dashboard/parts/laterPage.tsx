// A page, or a part of one, whose script comes when it is first shown. After an upgrade of the server the script of an open page may be gone: the
// page then loads itself anew, once.
import { type ComponentChildren, type ComponentType, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorState, Loading } from './states.tsx';

// biome-ignore lint/suspicious/noExplicitAny: each page reads the parameters that its own pattern has
type View = ComponentType<any>;

/** Kept by the browser beyond the reload, for this tab. */
const RELOADED = 'reloadedForScript';

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
          sessionStorage.removeItem(RELOADED);
          loaded = module.default;
          setView(() => loaded);
        },
        (failure: Error) => {
          if (sessionStorage.getItem(RELOADED) !== null) return setError(failure);
          sessionStorage.setItem(RELOADED, 'yes');
          location.reload();
        },
      );
    }, [view]);
    if (view !== undefined) return h(view, params);
    if (error === undefined) return waiting;
    return <ErrorState error={error} onRetry={() => location.reload()} />;
  };
}
