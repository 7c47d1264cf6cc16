// Moves USD between the main account and a sub-account. Asked once and sent once: while its outcome is not known, the dialog asks
// for the outcome of this same transfer and takes no other.
import { useRef, useState } from 'preact/hooks';
import { ApiError, Hint } from '../../api/answer.ts';
import type { GroupAccount } from '../../api/contract.ts';
import { AMOUNT_PATTERN, microUsd } from '../../domain/figures/microUsd.ts';
import { Dialog, UnknownUntil } from '../../parts/Form.tsx';
import { sendAction } from '../../state/sendAction.ts';

interface Props {
  /** The sub-accounts. */
  readonly accounts: readonly GroupAccount[];
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function Transfer({ accounts, onDone, onClose }: Props) {
  const [untilMs, setUntilMs] = useState<number>();
  /** The transfer that was sent and may have had its effect. */
  const open = useRef<{ readonly wish: TransferWish; readonly key: string } | undefined>(undefined);
  const [isOpen, setIsOpen] = useState(false);
  const act = async (data: FormData): Promise<void> => {
    open.current ??= { wish: wishIn(data), key: crypto.randomUUID() };
    const { wish, key } = open.current;
    try {
      await transfer(wish, key, setUntilMs);
    } catch (failure) {
      setUntilMs(undefined);
      // A refusal is an outcome. Anything else is not: the next try is the same transfer.
      const isRefused = failure instanceof ApiError && failure.status < 500;
      if (isRefused) open.current = undefined;
      setIsOpen(!isRefused);
      throw failure;
    }
    await onDone();
  };
  return (
    <Dialog title="Move USD between accounts" act={isOpen ? 'Ask for its outcome' : 'Move it'} onAct={act} onClose={onClose}>
      <fieldset class="plain" disabled={isOpen}>
        <label class="field">
          Sub-account
          <select name="account">
            {accounts.map(({ address, name }) => (
              <option key={address} value={address}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Direction
          <select name="direction">
            <option value="to">from the main account to it</option>
            <option value="from">from it to the main account</option>
          </select>
        </label>
        <label class="field">
          USD
          <input
            name="usd"
            inputMode="decimal"
            autocomplete="off"
            required
            pattern={AMOUNT_PATTERN}
            title="An amount with at most six decimals"
          />
        </label>
      </fieldset>
      <UnknownUntil timeMs={untilMs} />
      {isOpen && (
        <p role="status">What became of it is not known yet. It is not sent a second time: the button asks for this transfer.</p>
      )}
    </Dialog>
  );
}

/** @throws {Hint} for what is no amount */
function wishIn(data: FormData): TransferWish {
  const usd = microUsd(String(data.get('usd')));
  if (usd === undefined) throw new Hint('The amount must be above 0 and below 9 007 199 255 USD.');
  return { subAccountUser: String(data.get('account')), isDeposit: data.get('direction') === 'to', usd };
}

/** Hears until when the outcome of an act is not known, ms since the epoch. */
type OnUnknown = (untilMs: number) => void;

/**
 * Makes a sub-account. Acts on a user's accounts are the master's acts, whichever account is shown.
 * @throws {ApiError} with the refusal
 */
export async function createSubAccount(name: string): Promise<void> {
  await sendAction({ type: 'createSubAccount', name });
}

/** @throws {ApiError} with the refusal */
export async function renameSubAccount(subAccountUser: string, name: string): Promise<void> {
  await sendAction({ type: 'subAccountModify', subAccountUser, name });
}

interface TransferWish {
  readonly subAccountUser: string;
  /** From the master account to the sub-account. */
  readonly isDeposit: boolean;
  /** Millionths of a USD. */
  readonly usd: number;
}

/**
 * Moves USD. Sent again under the same key it is the same transfer.
 * @throws {ApiError} with the refusal, or while its outcome stays unknown
 */
async function transfer(wish: TransferWish, idempotencyKey: string, onUnknown: OnUnknown): Promise<void> {
  await sendAction({ type: 'subAccountTransfer', ...wish }, { idempotencyKey, onUnknown });
}
