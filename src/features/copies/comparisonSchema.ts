// The answer of a comparison, as the contract publishes it and as it is filled in.
import { Type } from '@sinclair/typebox';
import { factsOf } from '../../actors/core/history/eventFacts.ts';
import type { FillRow } from '../../actors/core/messages/historyRows.ts';
import { ExplainedFill, toExplainedFill } from '../../api/account/fillEvidence.ts';
import { AccountTerms } from '../../api/account/termsFields.ts';
import { WhatIfBody } from '../../api/account/whatIfFields.ts';
import { EquityCurve } from '../../api/accounts/equityCurve.ts';
import {
  Address,
  type AnswerFor,
  CoinName,
  Count,
  exactly,
  IsoTime,
  OrderId,
  orNull,
  WireDecimal,
  words,
} from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { wireNumber } from '../../api/domain/wireText.ts';
import { type AccountDifference, type Both, type ComparedSides, reasonOf, WHYS } from './rules/differences.ts';
import { factText, type JournalFact, WHATS } from './rules/facts.ts';
import type { ComparedSide } from './rules/side.ts';

export const BEGINS = ['common', 'since', 'kept'] as const;

const ComparedFact = named(
  'ComparedFact',
  exactly({
    address: described(Address, 'Of the account whose journal has it: of one before a fork, an account that it began from.'),
    seq: described(Count, 'Journal entry.'),
    time: IsoTime,
    text: described(Type.String(), 'What happened, in words and numbers.'),
    command: described(
      orNull(Count),
      'Number of the command of the source that it is of; null: of a market event, or of a command here alone.',
    ),
    waited_ms: described(orNull(Count), 'Latency that the command met here, by the terms.'),
    oid: orNull(OrderId),
    account_value: described(orNull(WireDecimal), 'After the newest entry up to then that changed it, USD.'),
    fill: described(orNull(ExplainedFill), 'The fill with its evidence, as `explainFill` has it.'),
  }),
);

const ComparedDifference = named(
  'ComparedDifference',
  exactly({
    time: described(IsoTime, 'Of the earlier of the two.'),
    what: described(named('ComparedWhat', words(...WHATS)), 'What the one has that the other has not, or has otherwise.'),
    why: described(
      named('ComparedWhy', words(...WHYS)),
      'Terms, or what docs/copies.md says of the others. `earlier`: it may follow from a difference before.',
    ),
    text: described(Type.String(), 'Why, in words.'),
    coin: orNull(CoinName),
    account: described(orNull(ComparedFact), 'Null: it has nothing of the kind.'),
    with: orNull(ComparedFact),
    stood: described(
      named('ComparedBefore', exactly({ account: orNull(ComparedFact), with: orNull(ComparedFact) })),
      'The last of the same thing before it, which is the same in both; null: there is none.',
    ),
  }),
);

const ComparedAccount = named(
  'ComparedAccount',
  exactly({
    address: Address,
    name: described(orNull(Type.String()), 'null: the master account.'),
    seq: described(Count, 'Newest entry.'),
    account_terms: AccountTerms,
    terms: described(orNull(WhatIfBody), 'Of a what-if.'),
    waiting: described(orNull(Count), 'Commands of its source that it has not had yet; null: it receives none.'),
    curve: EquityCurve,
  }),
);

export const Comparison = named(
  'Comparison',
  exactly({
    account: ComparedAccount,
    with: ComparedAccount,
    common: described(
      named(
        'CommonEntry',
        exactly({ address: Address, seq: Count, time: described(orNull(IsoTime), 'null: the entry is no longer kept.') }),
      ),
      'The last entry that both have.',
    ),
    from: described(IsoTime, 'What is after it is compared.'),
    begins: described(
      named('ComparisonBegins', words(...BEGINS)),
      '`common`: at the entry that both have. `since`, as asked, and `kept`, as far back as is kept, leave out older orders.',
    ),
    to: described(IsoTime, 'What is up to it is compared.'),
    complete: described(Type.Boolean(), 'Whether that is all that there is.'),
    next: described(orNull(IsoTime), '`since` of the request that goes on; null: there is no more.'),
    entries_read: Count,
    differences: described(Type.Array(ComparedDifference), 'The first of each order or other thing, oldest first.'),
    more_differences: described(Count, 'That were found and are not in the list.'),
  }),
);

/** A difference as the answer shows it, with the evidence of both accounts. */
export function toDifference(difference: AccountDifference, compared: ComparedSides): AnswerFor<typeof ComparedDifference> {
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

const earliestOf = ([a, b]: Both<JournalFact | undefined>): JournalFact | undefined =>
  a === undefined || (b !== undefined && b.timeMs < a.timeMs) ? b : a;

const shown = ([a, b]: Both<JournalFact | undefined>, [mine, its]: Both<ComparedSide>) =>
  [toFact(a, mine), toFact(b, its)] as const;

function toFact(fact: JournalFact | undefined, side: ComparedSide) {
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

function oidOf({ event }: JournalFact): number | null {
  if ('oid' in event) return event.oid;
  return 'order' in event ? event.order.oid : null;
}

function fillOf({ event, timeMs, account }: JournalFact) {
  if (event.type === 'entriesLost') return null;
  const { row } = factsOf(event);
  const kind = row === 'none' ? undefined : row.kindOf(event);
  if (row === 'none' || (kind !== 'fills' && kind !== 'twapFills')) return null;
  return toExplainedFill(row.toRow(event, timeMs) as FillRow, account);
}
