// The dry run of the ticket's order: on its way, answered or refused. The script that shows an answer comes with the first
// answer.

import { useEffect, useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import type { DryRunAnswer, DryRunData } from '../../api/contract.ts';
import { post } from '../../api/http.ts';
import { type Ticket, ticketAction, toAction } from '../../domain/account/ticket.ts';
import { laterPage } from '../../parts/laterPage.tsx';
import { factsOf } from '../../state/acts.ts';
import { actingAccount, exchangePath } from '../../state/chosenAccount.ts';
import { marks } from '../../state/marks.ts';

const ASKING = <p class="quiet">What it would do …</p>;
const DryRunTold = laterPage(() => import('./DryRunDetails.tsx'), ASKING);

export function DryRunView({ shown, coin }: { readonly shown: DryRunShown; readonly coin: string }) {
  if (shown.is === 'asking') return ASKING;
  if (shown.is !== 'answered') return <p class={shown.is === 'failed' ? 'error' : 'quiet'}>{shown.text}</p>;
  return <DryRunTold data={shown.data} coin={coin} />;
}

const STILL_MS = 700;

type DryRunShown =
  | { readonly is: 'missing' | 'failed'; readonly text: string }
  | { readonly is: 'answered'; readonly data: DryRunData }
  | { readonly is: 'asking' };

/**
 * Asks for the dry run when the ticket has stood still: at most one question in 700 ms, and none that is out of date.
 * @param turn another one asks the same again
 */
export function useDryRun(ticket: Ticket, coin: string, turn: number): DryRunShown {
  const [shown, setShown] = useState<DryRunShown>({ is: 'asking' });
  const text = JSON.stringify(ticket);
  const hasPrice = marks.value[coin] !== undefined;
  useEffect(() => {
    const cancel = new AbortController();
    const show = (next: DryRunShown): void => {
      if (!cancel.signal.aborted) setShown(next);
    };
    const ask = async (): Promise<void> => {
      const mid = marks.peek()[coin];
      if (mid === undefined) return show({ is: 'missing', text: `No price of ${coin} yet.` });
      const made = ticketAction(JSON.parse(text) as Ticket, { ...(await factsOf(coin)), mid });
      if ('missing' in made) return show({ is: 'missing', text: made.missing });
      const body = { action: toAction(made), nonce: Date.now(), dryRun: true, ...actingAccount() };
      const answer = await post<DryRunAnswer>(exchangePath('exchange'), body, { signal: cancel.signal });
      show({ is: 'answered', data: answer.body.response.data });
    };
    setShown((before) => (before.is === 'answered' ? before : { is: 'asking' }));
    const timer = setTimeout(
      () => void ask().catch((error: unknown) => show({ is: 'failed', text: failureText(error) })),
      STILL_MS,
    );
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, [text, coin, turn, hasPrice]);
  return shown;
}
