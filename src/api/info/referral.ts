// `referral`: nobody refers anybody here; a new account's answer with its own volume.
import { askAccount } from '../accountQuery.ts';
import { wireNumber } from '../wireText.ts';
import { accountType } from './infoType.ts';

export const referral = accountType('referral', {}, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    referredBy: null,
    cumVlm: wireNumber(summary.volumeUsd),
    unclaimedRewards: '0.0',
    claimedRewards: '0.0',
    builderRewards: '0.0',
    referrerState: { stage: 'needToTrade', data: { required: '10000.0' } },
    rewardHistory: [],
    tokenToState: [],
  };
});
