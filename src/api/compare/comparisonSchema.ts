// The answer of a comparison, as the contract publishes it.
import { Type } from '@sinclair/typebox';
import { Address, CoinName, Count, exactly, IsoTime, OrderId, orNull, WireDecimal, words } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { EquityCurve } from '../dashboard/equityCurve.ts';
import { WHYS } from '../domain/compare/differences.ts';
import { WHATS } from '../domain/compare/facts.ts';
import { WhatIfBody } from '../fork/whatIf.ts';
import { ExplainedFill } from '../info/history/fillEvidence.ts';
import { AccountTerms } from '../terms/termsFields.ts';

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

export const ComparedDifference = named(
  'ComparedDifference',
  exactly({
    time: described(IsoTime, 'Of the earlier of the two.'),
    what: described(named('ComparedWhat', words(...WHATS)), 'What the one has that the other has not, or has otherwise.'),
    why: described(
      named('ComparedWhy', words(...WHYS)),
      'Terms, or what docs/fork.md says of the others. `earlier`: it may follow from a difference before.',
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
