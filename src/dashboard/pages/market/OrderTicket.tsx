// The order ticket: the order before it is sent, the server's forecast, and the outcome. Sent once for a click.
import '../../styles/ticket.css';
import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import type { ActiveAssetData } from '../../api/contract.ts';
import {
  isTrigger,
  priceOf,
  sentText,
  shareOfMax,
  TICKET_KINDS,
  TIMES_IN_FORCE,
  type Ticket,
} from '../../domain/account/ticket.ts';
import { moment } from '../../domain/texts.ts';
import { ChangeLeverage } from '../../parts/account/ChangeLeverage.tsx';
import { useInfo } from '../../parts/answers.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { type CoinFacts, factsOf, placeTicket } from '../../state/acts.ts';
import { aboutAccount } from '../../state/chosenAccount.ts';
import { nowMs } from '../../state/clock.ts';
import { marks } from '../../state/marks.ts';
import { timeZone } from '../../state/settings.ts';
import { DryRunView, useDryRun } from './DryRunView.tsx';

const EMPTY: Ticket = {
  ...{ kind: 'Market', side: 'buy', size: '', unit: 'coin', limitPrice: '', triggerPrice: '' },
  ...{ timeInForce: 'Gtc', reduceOnly: false, takeProfit: '', stopLoss: '' },
};

/** A click on a price of the book; a second click on the same price is another object. */
export interface ClickedPrice {
  readonly price: string;
}

interface Props {
  readonly coin: string;
  readonly clickedPrice?: ReadonlySignal<ClickedPrice | undefined>;
}

type Sent = { readonly text: string; readonly isError?: true } | undefined;

export function OrderTicket({ coin, clickedPrice }: Props) {
  const [ticket, setTicket] = useState<Ticket>(EMPTY);
  const [turn, setTurn] = useState(0);
  const [sent, setSent] = useState<Sent>();
  const [isSending, setIsSending] = useState(false);
  const [facts, setFacts] = useState<CoinFacts>();
  const isUnderWay = useRef(false);
  const own = useInfo<ActiveAssetData>(aboutAccount({ type: 'activeAssetData', coin }), turn).answer?.body;
  const shown = useDryRun(ticket, coin, turn);
  const change = (fields: Partial<Ticket>): void => {
    setSent(undefined);
    setTicket((before) => ({ ...before, ...fields }));
  };
  useEffect(() => void factsOf(coin).then(setFacts, () => undefined), [coin]);
  const clicked = clickedPrice?.value;
  useEffect(() => {
    if (clicked !== undefined) change({ kind: 'Limit', limitPrice: clicked.price });
  }, [clicked]);

  const mid = marks.value[coin];
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    // State is set later than a double click comes.
    if (isUnderWay.current || mid === undefined) return;
    isUnderWay.current = true;
    setIsSending(true);
    setSent({ text: 'Sent …' });
    const onUnknown = (untilMs: number): void => {
      const at = moment(untilMs, { zone: timeZone.value, nowMs: nowMs.peek() });
      setSent({ text: `No answer: unknown until ${at}. It is being looked for.` });
    };
    try {
      setSent({ text: sentText(await placeTicket(ticket, coin, mid, onUnknown)) });
      setTicket((before) => ({ ...before, size: '', takeProfit: '', stopLoss: '' }));
    } catch (failure) {
      setSent({ text: failureText(failure), isError: true });
    } finally {
      isUnderWay.current = false;
      setIsSending(false);
      setTurn((before) => before + 1);
    }
  };
  const max = own?.maxTradeSzs[ticket.side === 'buy' ? 0 : 1];
  const setShare = (share: number): void => {
    if (max === undefined || facts === undefined || mid === undefined) return;
    const { unit } = ticket;
    change({ size: shareOfMax(share, max, { unit, price: priceOf(ticket, mid), sizeDecimals: facts.sizeDecimals }) });
  };
  return (
    <form class="ticket" aria-label={`Order in ${coin}`} onSubmit={(event) => void send(event)}>
      <div class="row">
        <h2>Order</h2>
        {own && (
          <ChangeLeverage
            {...{ coin, leverage: own.leverage.value, marginMode: own.leverage.type }}
            onChanged={() => setTurn((before) => before + 1)}
          />
        )}
      </div>
      <Tabs legend="Kind" choices={TICKET_KINDS} chosen={ticket.kind} onChoose={(kind) => change({ kind })} />
      <div class="sides">
        <button type="button" class="buy" aria-pressed={ticket.side === 'buy'} onClick={() => change({ side: 'buy' })}>
          Buy
        </button>
        <button type="button" class="sell" aria-pressed={ticket.side === 'sell'} onClick={() => change({ side: 'sell' })}>
          Sell
        </button>
      </div>
      {ticket.kind === 'Limit' && (
        <Price label="Limit price" value={ticket.limitPrice} onChange={(limitPrice) => change({ limitPrice })} />
      )}
      {isTrigger(ticket.kind) && (
        <Price label="Trigger (mark)" value={ticket.triggerPrice} onChange={(triggerPrice) => change({ triggerPrice })} />
      )}
      <div class="sized">
        <Price label="Size" value={ticket.size} onChange={(size) => change({ size })} />
        <label class="field">
          In
          <select
            value={ticket.unit}
            onChange={({ currentTarget }) => change({ unit: currentTarget.value === 'USD' ? 'USD' : 'coin', size: '' })}
          >
            <option value="coin">{coin}</option>
            <option value="USD">USD</option>
          </select>
        </label>
      </div>
      <label class="field">
        <span>Share of the largest size</span>
        <input
          type="range"
          min={0}
          max={100}
          step={5}
          defaultValue="0"
          disabled={max === undefined}
          onInput={({ currentTarget }) => setShare(Number(currentTarget.value) / 100)}
        />
      </label>
      {ticket.kind === 'Limit' && (
        <Tabs
          legend="Time in force"
          choices={TIMES_IN_FORCE}
          chosen={ticket.timeInForce}
          onChoose={(timeInForce) => change({ timeInForce })}
        />
      )}
      <label class="choice">
        <input
          type="checkbox"
          checked={ticket.reduceOnly}
          onChange={({ currentTarget }) => change({ reduceOnly: currentTarget.checked, takeProfit: '', stopLoss: '' })}
        />
        Reduce only
      </label>
      {!isTrigger(ticket.kind) && !ticket.reduceOnly && (
        <div class="sized">
          <Price label="Take profit" value={ticket.takeProfit} onChange={(takeProfit) => change({ takeProfit })} />
          <Price label="Stop loss" value={ticket.stopLoss} onChange={(stopLoss) => change({ stopLoss })} />
        </div>
      )}
      <div class="told">
        <DryRunView shown={shown} coin={coin} />
      </div>
      <button type="submit" class={ticket.side} disabled={isSending || shown.is === 'missing' || mid === undefined}>
        {ticket.side === 'buy' ? 'Buy' : 'Sell'} {coin}
      </button>
      {sent && (
        <p class={sent.isError ? 'error' : 'quiet'} role={sent.isError ? 'alert' : 'status'}>
          {sent.text}
        </p>
      )}
    </form>
  );
}

interface PriceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Price({ label, value, onChange }: PriceProps) {
  return (
    <label class="field">
      {label}
      <input
        class="number"
        value={value}
        inputMode="decimal"
        autocomplete="off"
        placeholder="0"
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    </label>
  );
}
