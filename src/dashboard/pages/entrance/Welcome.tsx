// The root: what this is, for those who are not logged in; the others are taken to their account.
import { useEffect } from 'preact/hooks';
import { accessToken, isSessionKnown } from '../../api/browserSession.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { Loading } from '../../parts/states.tsx';
import { navigate } from '../../state/route.ts';

export function Welcome() {
  const isIn = accessToken.value !== undefined;
  useEffect(() => {
    if (isIn) navigate('/overview', { replaces: true });
  }, [isIn]);
  if (isIn || !isSessionKnown.value) return <Loading lines={6} />;
  return (
    <Entrance title="Trade perpetual futures on paper">
      <p>
        Bots that are written for Hyperliquid’s API trade here with virtual money, against its order book. They change the base
        address, nothing else.
      </p>
      <p>
        What they do is shown here while it happens: what the account is worth, what it holds, and what each fill was made of.
      </p>
      <p class="ways">
        <a class="button main" href="/register">
          Make an account
        </a>
        <a class="button" href="/login">
          Log in
        </a>
      </p>
      <p>
        <a href="/docs">API documentation</a> · <a href="/llms.txt">For language models</a> · <a href="/status">Status</a>
      </p>
    </Entrance>
  );
}
