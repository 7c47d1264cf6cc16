import { expect } from 'chai';
import type { VenueMeta } from '../../../src/market/domain/asset.ts';
import type { AssetContext } from '../../../src/market/domain/feed.ts';
import { busiestCoins, pastRequests } from '../../../src/market/recording/record.ts';
import { readRecording } from '../../support/recordings.ts';

describe('pastRequests: what is recorded of the time before', () => {
  const market = readRecording('info.metaAndAssetCtxs').response as [VenueMeta, AssetContext[]];

  it('is that of the ten coins with the largest volume', () => {
    const coins = busiestCoins(market);
    expect(coins).to.have.length(10);
    expect(coins).to.include.members(['BTC', 'ETH']);
    const volume = (coin: string): number =>
      Number(market[1][market[0].universe.findIndex(({ name }) => name === coin)]?.dayNtlVlm);
    expect(coins.map(volume)).to.deep.equal(coins.map(volume).toSorted((a, b) => b - a));
  });

  it('fits into one minute’s allowance with everything else that is asked at the start', () => {
    const weight = pastRequests(busiestCoins(market), 0).reduce((sum, request) => sum + request.weight, 0);
    expect(weight + 9 * 20).to.be.at.most(1000);
  });
});
