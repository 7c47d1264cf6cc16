// What an account tells of itself for answers about all accounts of a user.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { toWire } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { Following } from '../account/group/following.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';
import type { FollowingView } from '../messages/answers/sourceFacts.ts';
import { overview } from './overview.ts';

const followingView = ({ id, sinceMs, cursorMs, orders }: Following): FollowingView => {
  const copies = [...orders.values()].filter(({ oid, isOver }) => oid !== undefined && !isOver);
  return { id, sinceMs, throughMs: cursorMs, copies: copies.length };
};

/** Sub-accounts of a master, oldest first. */
export function subAccounts({ subAccounts: made = [] }: Account): AnswerOf<'subAccounts'> {
  return { kind: 'subAccounts', subAccounts: made.map((each, at) => ({ number: at + 1, ...each })) };
}

/** The account and its transfers at one moment: with the sums over both accounts of a pair, what is under way counts once. */
export function groupMember(account: Account, market: MarketView, nowMs: number): AnswerOf<'groupMember'> {
  const transfers = [...(account.transfers ?? [])].map(([other, { sentUsd, receivedUsd, underWay }]) => ({
    account: other,
    sentUsd: toWire(sentUsd),
    receivedUsd: toWire(receivedUsd),
    underWay: underWay.map(({ number, usd, sentAtMs }) => ({ number, usd: toWire(usd), sentAtMs })),
  }));
  const { fork, mirrors, imported, following } = account;
  return {
    kind: 'groupMember',
    overview: overview(account, market, nowMs).overview,
    transfers,
    ...(fork && { fork: { ...fork, usd: toWire(fork.usd) } }),
    ...(mirrors && { mirrors: { last: mirrors.last, to: mirrors.to } }),
    ...(imported && { imported: { ...imported, usd: toWire(imported.usd) } }),
    ...(following && { following: followingView(following) }),
  };
}
