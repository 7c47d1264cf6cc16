// Bands across the whole page say that the prices are not the venue's, that orders are not taken, and how long the account may
// still trade.

import type { ComponentChildren } from 'preact';
import { accessNote, hasEnd, timeLeft } from '../../domain/access.ts';
import { user } from '../../state/chosenAccount.ts';
import { nowMs } from '../../state/clock.ts';
import { health } from '../../state/health.ts';
import { stream } from '../../state/stream.ts';

const SOURCES: Readonly<Record<string, string>> = {
  emulated: 'Emulated market: these prices are made by this exchange, not by the venue.',
  replay: 'Replay: these prices are played from a recording. They are not of now.',
};

export function Bands() {
  return (
    <section class="bands" aria-label="Market and plan">
      <MarketBand />
      <AccessBand />
    </section>
  );
}

function MarketBand() {
  const source = health.value?.market.source;
  const words = source === undefined ? undefined : SOURCES[source];
  return (
    <>
      {words !== undefined && <Band tone="source">{words}</Band>}
      {health.value?.status === 'unavailable' && (
        <Band tone="bad">
          The exchange takes no orders at the moment. <a href="/status">Why</a>
        </Band>
      )}
    </>
  );
}

function AccessBand() {
  const note = accessNote(user.value, stream.connection.value === 'expired');
  switch (note?.type) {
    case 'trial':
      return (
        <Band tone="quiet">
          Trial:{' '}
          {hasEnd(Date.parse(note.endsAt), nowMs.value) ? `${timeLeft(Date.parse(note.endsAt) - nowMs.value)} left` : 'no end'}.{' '}
          <a href="/billing">Choose a plan</a>
        </Band>
      );
    case 'grace':
      return (
        <Band tone="warning">
          What was paid for is over. You may trade for {timeLeft(Date.parse(note.endsAt) - nowMs.value)} more.{' '}
          <a href="/billing">Pay now</a>
        </Band>
      );
    case 'readOnly':
      return (
        <Band tone="bad">
          Read only: the trial or the subscription is over. Orders are refused, figures are of every 10 s.{' '}
          <a href="/billing">Choose a plan</a>
        </Band>
      );
    default:
      return null;
  }
}

function Band({
  tone,
  children,
}: {
  readonly tone: 'source' | 'quiet' | 'warning' | 'bad';
  readonly children: ComponentChildren;
}) {
  return <p class={`band ${tone}`}>{children}</p>;
}
