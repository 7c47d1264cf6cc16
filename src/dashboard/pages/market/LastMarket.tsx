// Without a coin in the address: the market that was looked at last.
import { useEffect } from 'preact/hooks';
import { Loading } from '../../parts/states.tsx';
import { navigate } from '../../state/route.ts';
import { lastCoin } from '../../state/settings.ts';

export function LastMarket() {
  useEffect(() => navigate(`/markets/${encodeURIComponent(lastCoin.value)}`, { replaces: true }), []);
  return <Loading lines={6} />;
}
