// Logging in by a one-time link of bin/start. Its token is in the fragment, which no browser sends anywhere by itself; the address
// loses it at once.
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/answer.ts';
import { beginLinkedSession } from '../../api/browserSession.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { Loading } from '../../parts/states.tsx';
import { navigate } from '../../state/route.ts';

export function Enter() {
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
    history.replaceState(null, '', location.pathname);
    if (token === '') {
      setProblem('The address has no token: open the whole link.');
      return;
    }
    beginLinkedSession(token).then(
      () => navigate('/overview', { replaces: true }),
      (failure: Error) => setProblem(failure instanceof ApiError ? failure.message : 'The server cannot be reached.'),
    );
  }, []);
  return (
    <Entrance title={problem === undefined ? 'Logging in' : 'This link does not open the account'}>
      {problem === undefined ? (
        <Loading lines={2} />
      ) : (
        <>
          <p class="error" role="status">
            {problem}
          </p>
          <p>
            <code>bin/start</code> prints a new one at each start. <a href="/login">Log in</a> with the password instead: that of
            the demo account is in <code>demo.json</code> in the data folder.
          </p>
        </>
      )}
    </Entrance>
  );
}
