// Changes the account's virtual money: up again when little is left, to an amount, or all from the beginning.
import { useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import type { Balance } from '../../api/contract.ts';
import { post } from '../../api/http.ts';
import { usd } from '../../domain/texts.ts';
import { Dialog, Field, Form } from '../../parts/Form.tsx';
import { account } from '../../state/account.ts';
import { accountPath, ofAccount } from '../../state/chosenAccount.ts';

/** USD: an account that is worth less may be topped up. */
const TOP_UP_BELOW = 100;

export function Money() {
  const [message, setMessage] = useState<string>();
  const [isReset, setIsReset] = useState(false);
  const change = async (path: string, body: object): Promise<void> => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const { body: done } = await post<Balance>(path, body, { headers });
    setMessage(`${done.message} It is ${usd(done.balance)} USD now.`);
  };
  const value = account.value?.accountValue;
  const mayTopUp = value !== undefined && Number(value) < TOP_UP_BELOW;
  return (
    <>
      {message !== undefined && (
        <p class="note" role="status">
          {message}
        </p>
      )}
      <Form act="Set the balance" onSubmit={(data) => change(accountPath('set-balance'), { balance: amountIn(data) })}>
        <Field name="balance" label="Cash, 1 000 to 10 000 000 USD, while nothing is open" autocomplete="off" />
      </Form>
      <p class="ways">
        <button
          type="button"
          disabled={!mayTopUp}
          onClick={() => void change(ofAccount('/v1/auth/account/reset'), {}).catch(sayIn(setMessage))}
        >
          Top up
        </button>
        <span class="quiet">to your plan’s balance, when the account is worth less than {TOP_UP_BELOW} USD</span>
      </p>
      <p class="ways">
        <button type="button" class="danger" onClick={() => setIsReset(true)}>
          Reset the account
        </button>
      </p>
      {isReset && (
        <Dialog
          title="Reset the account?"
          act="Reset it"
          word="reset"
          isDangerous
          onAct={async () => {
            await change(accountPath('reset'), {});
            // Nothing that this tab has read of the account is true any more.
            location.assign('/overview');
          }}
          onClose={() => setIsReset(false)}
        >
          <p>
            All orders and positions end, and the whole history is deleted: fills, orders, funding, the equity curve. The account
            begins anew with your plan’s balance. API keys and your login stay. This cannot be undone.
          </p>
        </Dialog>
      )}
    </>
  );
}

/** As people write numbers, with spaces between thousands. */
const amountIn = (data: FormData): string => String(data.get('balance')).replace(/[\s\u202f,]/g, '');

const sayIn =
  (say: (text: string) => void) =>
  (failure: Error): void =>
    say(failureText(failure));
