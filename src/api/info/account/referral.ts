// `referral`: there are no referrals here; the answer is that of a new account, with its own volume.

import { Type } from '@sinclair/typebox';
import { askAccount } from '../../accounts/accountQuery.ts';
import { exactly, WireDecimal } from '../../contract/answerValues.ts';
import { named } from '../../contract/named.ts';
import { NothingIn } from '../../contract/venueForms.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { wireNumber } from '../../domain/wireText.ts';
import { accountType } from '../infoType.ts';

const CONTRACT = {
  about: 'Nobody refers anybody here: a new account’s answer with its own volume.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: named(
    'Referral',
    exactly({
      referredBy: Type.Null(),
      cumVlm: WireDecimal,
      unclaimedRewards: WireDecimal,
      claimedRewards: WireDecimal,
      builderRewards: WireDecimal,
      referrerState: named(
        'ReferrerState',
        exactly({ stage: Type.Literal('needToTrade'), data: named('ReferrerRequirement', exactly({ required: WireDecimal })) }),
      ),
      rewardHistory: NothingIn,
      tokenToState: NothingIn,
    }),
  ),
};

export const referral = accountType('referral', CONTRACT, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    referredBy: null,
    cumVlm: wireNumber(summary.volumeUsd),
    unclaimedRewards: '0.0',
    claimedRewards: '0.0',
    builderRewards: '0.0',
    referrerState: { stage: 'needToTrade' as const, data: { required: '10000.0' } },
    rewardHistory: [],
    tokenToState: [],
  };
});
