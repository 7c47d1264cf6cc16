// Whether the exchange works, in words, for everybody.
import { Entrance } from '../../parts/Entrance.tsx';
import { Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';

interface Health {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly market: { readonly source: string };
}

const WORDS = {
  ok: 'Everything works: orders are taken.',
  degraded: 'Orders are taken. Something else is away.',
  unavailable: 'No orders are taken at the moment.',
} as const;

export default function Status() {
  const asked = useAnswer<Health>('/health', { everyMs: 10_000 });
  return (
    <Entrance title="Status">
      <Shown asked={asked}>
        {({ status, market }) => (
          <>
            <p class={`light ${status === 'ok' ? 'good' : 'bad'}`}>{WORDS[status]}</p>
            <p>Prices: {market.source}.</p>
          </>
        )}
      </Shown>
      <p>
        <a href="/overview">To the account</a>
      </p>
    </Entrance>
  );
}
