// A difference as the answer shows it, with the evidence of both accounts.
import { factsOf } from '../../actors/core/history/eventFacts.ts';
import type { FillRow } from '../../actors/core/messages/historyRows.ts';
import type { AnswerFor } from '../contract/answerValues.ts';
import { type Both, type Compared, type Difference, reasonOf } from '../domain/compare/differences.ts';
import { type Fact, factText } from '../domain/compare/facts.ts';
import type { Side } from '../domain/compare/side.ts';
import { wireNumber } from '../domain/wireText.ts';
import { toExplainedFill } from '../info/history/fillEvidence.ts';
import type { ComparedDifference } from './comparisonSchema.ts';

export function toDifference(difference: Difference, compared: Compared): AnswerFor<typeof ComparedDifference> {
  const { facts, before, timeMs } = difference;
  const [account, other] = shown(facts, compared.sides);
  const [accountStood, otherStood] = shown(before, compared.sides);
  const [known] = facts.filter((fact) => fact !== undefined);
  const { why, text } = reasonOf(difference, compared);
  return {
    time: new Date(timeMs).toISOString(),
    what: earliestOf(facts)?.what ?? 'lost',
    ...{ why, text, coin: facts[0]?.coin ?? facts[1]?.coin ?? known?.coin ?? null },
    ...{ account, with: other, stood: { account: accountStood, with: otherStood } },
  };
}

const earliestOf = ([a, b]: Both<Fact | undefined>): Fact | undefined =>
  a === undefined || (b !== undefined && b.timeMs < a.timeMs) ? b : a;

const shown = ([a, b]: Both<Fact | undefined>, [mine, its]: Both<Side>) => [toFact(a, mine), toFact(b, its)] as const;

function toFact(fact: Fact | undefined, side: Side) {
  if (fact === undefined) return null;
  const { account, seq, timeMs, commands, thing, accountValue } = fact;
  const [command] = commands;
  const waitedMs = command && side.delayOf(command);
  return {
    ...{ address: account, seq, time: new Date(timeMs).toISOString(), text: factText(fact) },
    command: command?.number ?? null,
    waited_ms: waitedMs ? waitedMs : null,
    oid: typeof thing === 'string' ? oidOf(fact) : thing.oid,
    account_value: accountValue === undefined ? null : wireNumber(accountValue),
    fill: fillOf(fact),
  };
}

function oidOf({ event }: Fact): number | null {
  if ('oid' in event) return event.oid;
  return 'order' in event ? event.order.oid : null;
}

function fillOf({ event, timeMs, account }: Fact) {
  if (event.type === 'entriesLost') return null;
  const { row } = factsOf(event);
  const kind = row === 'none' ? undefined : row.kindOf(event);
  if (row === 'none' || (kind !== 'fills' && kind !== 'twapFills')) return null;
  return toExplainedFill(row.toRow(event, timeMs) as FillRow, account);
}
