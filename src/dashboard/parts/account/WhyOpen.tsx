// Why an order is still open, in the exchange's words and with the numbers behind them.
import { Digits, Moment } from '../numbers.tsx';

/** `open` of `explainOrder`, as far as the page reads it. */
export interface WhyOpenFacts {
  readonly reason: string;
  readonly text: string;
  readonly queueAhead: string | null;
  readonly oppositeAtLimit: { readonly displayedSz: string; readonly consumedBefore: string } | null;
  readonly trigger: { readonly triggerPx: string; readonly firesWhenMark: 'above' | 'below' } | null;
  readonly bookTime: number | null;
  readonly bbo: readonly [string | null, string | null];
  readonly markPx: string | null;
}

export function WhyOpen({ facts }: { readonly facts: WhyOpenFacts }) {
  const { reason, text, queueAhead, oppositeAtLimit, trigger, bookTime, bbo, markPx } = facts;
  return (
    <section aria-labelledby="whyOpen" data-reason={reason}>
      <h2 id="whyOpen">Why it is open</h2>
      <p>{text}</p>
      <dl class="facts">
        {queueAhead !== null && (
          <div>
            <dt>Ahead in the queue</dt>
            <dd>{queueAhead}</dd>
          </div>
        )}
        {oppositeAtLimit !== null && (
          <>
            <div>
              <dt>Displayed at the limit</dt>
              <dd>
                <Digits value={oppositeAtLimit.displayedSz} />
              </dd>
            </div>
            <div>
              <dt>Taken by this account before</dt>
              <dd>
                <Digits value={oppositeAtLimit.consumedBefore} />
              </dd>
            </div>
          </>
        )}
        {trigger !== null && (
          <div>
            <dt>Fires when the mark is {trigger.firesWhenMark}</dt>
            <dd>
              <Digits value={trigger.triggerPx} />
            </dd>
          </div>
        )}
        <div>
          <dt>Best bid and ask</dt>
          <dd>
            <Digits value={bbo[0]} /> / <Digits value={bbo[1]} />
          </dd>
        </div>
        <div>
          <dt>Mark</dt>
          <dd>
            <Digits value={markPx} />
          </dd>
        </div>
        {bookTime !== null && (
          <div>
            <dt>Book of</dt>
            <dd>
              <Moment at={bookTime} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
