// GET …/account/group: all accounts of the user with their figures, and the totals. Each account answers from one state of its own, with
// its transfers; the totals count what is under way between them once (groupTotals.ts).
import { Type } from '@sinclair/typebox';
import type { FollowingView } from '../../actors/core/messages/importReport.ts';
import type { ForkView, ImportedView, WhatIfQueueView } from '../../actors/core/messages/queryAnswer.ts';
import { AccountTerms, toAccountTerms } from '../account/termsFields.ts';
import { toWhatIf, WhatIf } from '../account/whatIfFields.ts';
import { askWithSeq, type Call, type Services } from '../accounts/services.ts';
import { Address, type AnswerFor, Count, EpochMs, exactly, IsoTime, orNull, WireDecimal } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { mayNot } from '../contract/whoMay.ts';
import { type GroupMember, groupTotals } from '../domain/groupTotals.ts';
import { wireNumber } from '../domain/wireText.ts';

const figures = {
  account_value: WireDecimal,
  balance: described(WireDecimal, 'Account value less unrealized PnL.'),
  unrealized_pnl: WireDecimal,
  margin_used: WireDecimal,
  withdrawable: WireDecimal,
  open_positions: Count,
  open_orders: Count,
};

export const Group = named(
  'AccountGroup',
  exactly({
    accounts: Type.Array(
      named(
        'GroupAccount',
        exactly({
          address: Address,
          name: described(orNull(Type.String()), 'null: the master account.'),
          ...figures,
          realized_pnl: WireDecimal,
          fees_paid: WireDecimal,
          net_deposits: described(WireDecimal, 'What came from the other accounts is a deposit, what went to them a withdrawal.'),
          account_terms: AccountTerms,
          seq: described(Count, 'Journal entry of the account that the figures are of.'),
          transfers_under_way: Type.Array(
            named(
              'TransferUnderWay',
              exactly({
                to: Address,
                number: described(Count, 'Names it among those between the two.'),
                usd: WireDecimal,
                sent_time: EpochMs,
              }),
            ),
          ),
          fork: described(
            orNull(
              named(
                'ForkOrigin',
                exactly({
                  of: Address,
                  seq: described(Count, 'Journal entry of that account.'),
                  time: described(IsoTime, 'Of the entry.'),
                  state_hash: Type.String(),
                  usd: described(WireDecimal, 'Balance that it began with; among its deposits.'),
                }),
              ),
            ),
            'Where it began; null: it is no fork, or was reset.',
          ),
          what_if: described(
            orNull(WhatIf),
            'Of a fork under other terms, which receives the commands of the account that it began from.',
          ),
          import: described(
            orNull(
              named(
                'ImportOrigin',
                exactly({
                  address: described(Address, 'Of the venue.'),
                  scale: WireDecimal,
                  seq: described(Count, 'Journal entry that has it.'),
                  time: described(IsoTime, 'Of the entry.'),
                  usd: described(WireDecimal, 'Balance that it began with; among its deposits.'),
                }),
              ),
            ),
            'The address that it began with; null: it is no import, or was reset.',
          ),
          following: described(
            orNull(
              named(
                'GroupFollowing',
                exactly({
                  since: described(IsoTime, 'Fills of the address count from this time of the venue on.'),
                  through: described(IsoTime, 'The newest fill of the address that the account has heard of, or `since`.'),
                  copies: described(Count, 'Open orders of the address that have a copy here, or had one that is over already.'),
                }),
              ),
            ),
            'How it follows that address; null: it does not.',
          ),
          as_of: IsoTime,
        }),
      ),
    ),
    total: named(
      'GroupTotal',
      exactly({
        ...figures,
        forked_usd: described(
          WireDecimal,
          'In `account_value` and `balance` too: what forks began with. No account has lost it; a fork made it.',
        ),
        imported_usd: described(WireDecimal, 'The same of imports.'),
        under_way_usd: described(
          WireDecimal,
          'In `account_value` and `balance` too: what accounts have sent less what others have received. Below 0 where a sender was asked first.',
        ),
      }),
    ),
  }),
);

/**
 * @param onCount told how many accounts were asked
 * @throws {RequestError} 403 for a key that is bound to one account; as the gateway does
 */
export async function readGroup(
  services: Services,
  call: Call,
  onCount: (accounts: number) => void,
): Promise<AnswerFor<typeof Group>> {
  const { caller } = call;
  if (caller.isBound) throw mayNot('bound_key', 'This API key is bound to one account and sees no other.');
  const known = await services.ownAccounts.list(call);
  const members = [{ address: caller.master, name: null }, ...known];
  onCount(members.length);
  const asked = await Promise.all(members.map((member) => readMember(services, call, member)));
  const total = groupTotals(asked.map(({ member }) => member));
  return {
    accounts: asked.map(({ member, more, fork }) => ({
      ...more,
      what_if: whatIfOf(more.address, fork, asked),
      ...toFigures(member),
    })),
    total: {
      ...toFigures(total),
      forked_usd: wireNumber(total.forkedUsd),
      imported_usd: wireNumber(total.importedUsd),
      under_way_usd: wireNumber(total.underWayUsd),
    },
  };
}

async function readMember(services: Services, call: Call, { address, name }: { address: string; name: string | null }) {
  const own = { ...call, caller: { ...call.caller, accountId: address, address } };
  const { answer, seq } = await askWithSeq(own, services, { kind: 'groupMember' });
  const { overview, transfers, fork, mirrors, imported, following } = answer;
  const { state } = overview;
  const member: GroupMember = {
    accountValue: state.marginSummary.accountValue,
    balance: overview.balance,
    unrealizedPnl: overview.unrealizedPnl,
    marginUsed: state.marginSummary.totalMarginUsed,
    withdrawable: state.withdrawable,
    openPositions: state.positions.length,
    openOrders: overview.openOrders,
    transfers,
    forkedUsd: fork?.usd,
    importedUsd: imported?.usd,
  };
  const more = {
    ...{ address, name, seq },
    realized_pnl: wireNumber(overview.realizedPnlUsd),
    fees_paid: wireNumber(overview.feesUsd),
    net_deposits: wireNumber(overview.netDepositsUsd),
    account_terms: toAccountTerms(overview.terms),
    transfers_under_way: transfers.flatMap(({ account: to, underWay }) =>
      underWay.map(({ number, usd, sentAtMs }) => ({ to, number, usd: wireNumber(usd), sent_time: sentAtMs })),
    ),
    fork: fork === undefined ? null : toForkOrigin(fork),
    import: imported === undefined ? null : toImportOrigin(imported),
    following: following === undefined ? null : toFollowing(following),
    as_of: new Date(state.timeMs).toISOString(),
  };
  return { member, more, fork, mirrors };
}

/** The account that it began from says what has gone to it. */
function whatIfOf(
  address: string,
  fork: ForkView | undefined,
  asked: readonly { readonly more: { readonly address: string }; readonly mirrors: WhatIfQueueView | undefined }[],
) {
  if (fork?.terms === undefined) return null;
  const mirrors = asked.find(({ more }) => more.address === fork.of)?.mirrors;
  const known = mirrors?.to.find(({ account }) => account === address);
  return toWhatIf(fork.terms, { received: fork.received ?? 0, known, last: mirrors?.last ?? 0 });
}

const toForkOrigin = ({ of, seq, timeMs, hash, usd }: ForkView) => ({
  ...{ of, seq, time: new Date(timeMs).toISOString() },
  ...{ state_hash: hash, usd: wireNumber(usd) },
});

const toImportOrigin = ({ source, scale, seq, timeMs, usd }: ImportedView) => ({
  ...{ address: source, scale: wireNumber(scale), seq },
  ...{ time: new Date(timeMs).toISOString(), usd: wireNumber(usd) },
});

const toFollowing = ({ sinceMs, throughMs, copies }: FollowingView) => ({
  ...{ since: new Date(sinceMs).toISOString(), through: new Date(throughMs).toISOString(), copies },
});

const toFigures = (of: Omit<GroupMember, 'transfers'>) => ({
  account_value: wireNumber(of.accountValue),
  balance: wireNumber(of.balance),
  unrealized_pnl: wireNumber(of.unrealizedPnl),
  margin_used: wireNumber(of.marginUsed),
  withdrawable: wireNumber(of.withdrawable),
  open_positions: of.openPositions,
  open_orders: of.openOrders,
});
