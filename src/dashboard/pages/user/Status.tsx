// Whether the exchange works, in words, for everybody.
import { accessToken } from '../../api/browserSession.ts';
import type { Health } from '../../api/contract.ts';
import { CONDITIONS, causeText, SOURCES } from '../../domain/conditionText.ts';
import { age } from '../../domain/texts.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { Entrance, Shell } from '../../parts/shell/Shell.tsx';

const LOOK_MS = 10_000;
const TITLE = 'Status of the exchange';

export default function Status() {
  if (accessToken.value !== undefined) {
    return (
      <Shell title={TITLE}>
        <Condition />
        <p>
          <a href="/journal">Open a journal’s file</a>
        </p>
      </Shell>
    );
  }
  return (
    <Entrance title={TITLE}>
      <Condition />
      <p>
        <a href="/">What this is</a> · <a href="/login">Log in</a> · <a href="/journal">Open a journal’s file</a>
      </p>
    </Entrance>
  );
}

function Condition() {
  // 503 says that no orders are taken: an answer like the others.
  const asked = useAnswer<Health>('/health', { everyMs: LOOK_MS, alsoStatus: 503 });
  return (
    <Shown asked={asked}>
      {({ status, causes, market, version, as_of: at }) => (
        <>
          <p class={`light large ${status === 'ok' ? 'good' : status === 'degraded' ? 'half' : 'bad'}`} role="status">
            {CONDITIONS[status]}
          </p>
          {causes.length > 0 && (
            <ul>
              {causes.map((cause) => (
                <li key={cause}>{causeText(cause)}</li>
              ))}
            </ul>
          )}
          <dl class="facts">
            <div>
              <dt>Prices</dt>
              <dd>{SOURCES[market.source]}</dd>
            </div>
            <div>
              <dt>Age of the prices</dt>
              <dd class="number">{market.age_ms === null ? 'none have come yet' : age(market.age_ms)}</dd>
            </div>
            <div>
              <dt>Version of the API</dt>
              <dd>{version}</dd>
            </div>
            <div>
              <dt>As of</dt>
              <dd>
                <Moment at={at} />
              </dd>
            </div>
          </dl>
        </>
      )}
    </Shown>
  );
}
