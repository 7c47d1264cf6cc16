// Logging in by a one-time link of bin/start. Its token is in the fragment, which no browser sends anywhere by itself; the address
// loses it at once.
import { useEffect, useState } from 'preact/hooks';
import { beginLinkedSession } from '../../api/browserSession.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { ErrorState, Loading } from '../../parts/states.tsx';
import { navigate } from '../../state/route.ts';

export default function Enter() {
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
    history.replaceState(null, '', location.pathname);
    beginLinkedSession(token).then(() => navigate('/overview', { replaces: true }), setError);
  }, []);
  return (
    <Entrance title={error === undefined ? 'Logging in' : 'This link no longer opens the account'}>
      {error === undefined ? (
        <Loading lines={2} />
      ) : (
        <>
          <ErrorState error={error} />
          <p>
            <code>bin/start</code> prints a new one at each start. <a href="/login">Log in</a> with the password instead: that of
            the demo account is in <code>demo.json</code> in the data folder.
          </p>
        </>
      )}
    </Entrance>
  );
}
