// From an account to a connected bot: an address with a key in it, the lines that a bot needs, and two lights that turn green at its
// first request and its first fill.
import { useEffect, useState } from 'preact/hooks';
import type { ApiKeyList, NewApiKey } from '../../api/contract.ts';
import { get, post } from '../../api/http.ts';
import { snippets } from '../../domain/snippets.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Form } from '../../parts/Form.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { chosenAccount, user } from '../../state/chosenAccount.ts';
import { fills } from '../../state/fills.ts';
import { boundIn, KeyAccount } from './KeyAccount.tsx';
import { KeyOnce, useCode } from './newKey.tsx';

const LOOK_MS = 2_000;

export default function Connect() {
  const making = useCode();
  const [key, setKey] = useState<NewApiKey>();
  const isUsed = useIsUsed(key?.id);
  const [beganAt] = useState(() => Date.now());
  const isFilled = fills.value?.rows.some(({ row }) => row.timeMs >= beganAt) ?? false;
  const make = async (data: FormData): Promise<void> => {
    const wish = { name: `bot ${new Date().toISOString().slice(0, 16)}`, ...boundIn(data) };
    const { body } = await making.sent(data, (code) => post<NewApiKey>('/v1/auth/api-keys', { ...wish, ...code }));
    setKey(body);
  };
  const isOfOther = key != null && key.account !== null && key.account !== (chosenAccount.value || user.value?.address);
  const base = key && `${location.origin}/v1/exchanges/perpx/key/${key.api_key}`;
  return (
    <Shell title="Connect a bot">
      {base === undefined ? (
        <Form act="Make a key for the bot" onSubmit={make}>
          <p>A bot that is written for Hyperliquid changes its base address to one with its own key in it. Nothing else.</p>
          <KeyAccount />
          {making.field}
        </Form>
      ) : (
        <>
          <KeyOnce apiKey={key?.api_key ?? ''} />
          <h2>The bot’s address</h2>
          <p>
            <code class="block">{base}</code> <CopyButton text={base} />
          </p>
          <ol class="lights">
            <li class={isUsed ? 'good' : ''} role="status">
              {isUsed ? 'The bot has connected.' : 'Waiting for the bot’s first request …'}
            </li>
            <li class={isFilled ? 'good' : ''} role="status">
              {isFilled ? 'An order has filled.' : 'Waiting for the first fill …'}
            </li>
          </ol>
          {isOfOther && (
            <p class="note">The key reaches another account than the one that is shown: its fills are not heard here.</p>
          )}
          {snippets(base).map(({ name, code }) => (
            <section key={name} aria-label={name}>
              <div class="row">
                <h2>{name}</h2>
                <CopyButton text={code} />
              </div>
              <pre>{code}</pre>
            </section>
          ))}
        </>
      )}
    </Shell>
  );
}

/** True from the first request of a key on. */
function useIsUsed(id: string | undefined): boolean {
  const [isUsed, setIsUsed] = useState(false);
  useEffect(() => {
    if (id === undefined || isUsed) return;
    const look = async (): Promise<void> => {
      const { body } = await get<ApiKeyList>('/v1/auth/api-keys');
      if (body.api_keys.some((key) => key.id === id && key.last_used_at !== null)) setIsUsed(true);
    };
    // A look that fails is made up for by the next one.
    const timer = setInterval(() => look().catch(() => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, [id, isUsed]);
  return isUsed;
}
