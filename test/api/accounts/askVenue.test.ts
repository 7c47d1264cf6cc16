import { expect } from 'chai';
import { askVenue } from '../../../src/api/accounts/askVenue.ts';
import { answerInfo, infoTypes } from '../../../src/api/info/answerInfo.ts';
import { RequestError, RetryableError } from '../../../src/shared/errors.ts';
import { type QuestionOptions, VenueBusy } from '../../../src/shared/venue/upstream.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';

describe('askVenue: on whom a question counts, and what is said when it may not be asked', () => {
  const exchange = new ExchangeInMemory();
  const { services, call } = exchange;
  const candles = { type: 'candleSnapshot', req: { coin: 'BTC', interval: '1h', startTime: exchange.nowMs - 7_200_000 } };

  /** Services whose venue answers so to each payer. */
  const venueOf = (answers: Readonly<Record<string, unknown>>) => {
    const payers: string[] = [];
    const info = async (_body: object, { payer = 'nobody' }: QuestionOptions): Promise<unknown> => {
      payers.push(payer);
      const answer = answers[payer];
      if (answer instanceof Error) throw answer;
      return answer ?? [];
    };
    return { services: { ...services, upstream: { info } }, payers };
  };
  const refusalOf = async (work: Promise<unknown>): Promise<RequestError> => {
    const error = await work.then(
      () => undefined,
      (one: unknown) => one,
    );
    expect(error).to.be.instanceOf(RequestError);
    return error as RequestError;
  };
  const own = new VenueBusy('used up', { isOwn: true, retryMs: 12_300 });
  const all = new VenueBusy('used up', { isOwn: false, retryMs: 700 });

  it('a question of info counts on the keys of the user, or on the access tokens', async () => {
    const venue = venueOf({});
    const { userId } = call.caller;
    await answerInfo(candles, call, venue.services);
    await answerInfo(candles, { ...call, caller: { ...call.caller, keyId: '' } }, venue.services);
    expect(venue.payers).to.deep.equal([userId, `token:${userId}`]);
  });

  it('what all ask alike counts on none of them', async () => {
    const venue = venueOf({});
    for (const type of ['predictedFundings', 'spotMeta', 'spotMetaAndAssetCtxs', 'perpDexs', 'perpsAtOpenInterestCap'])
      await answerInfo({ type }, call, venue.services);
    expect(venue.payers).to.deep.equal(Array(5).fill('nobody'));
  });

  for (const error of [all, new RetryableError('away')]) {
    it(`the account’s own state is answered while ${error.message}`, async () => {
      const answer = await answerInfo({ type: 'webData2' }, call, venueOf({ nobody: error }).services);
      expect(answer).to.deep.include({ isVault: false, spotAssetCtxs: [] });
    });
  }

  /** Answers that only the venue has: answers for one user, and answers that are the same for all. */
  const OF_USER = ['candleSnapshot', 'candles', 'fundingHistory'];
  const SHARED = ['allPerpMetas', 'perpDexs', 'perpsAtOpenInterestCap', 'predictedFundings', 'spotMeta', 'spotMetaAndAssetCtxs'];
  const refusals: [name: string, answers: Readonly<Record<string, Error>>, refused: readonly string[]][] = [
    ['the user’s part is used up', { [call.caller.userId]: own }, OF_USER],
    ['nothing at all may be asked', { [call.caller.userId]: all, nobody: all }, [...OF_USER, ...SHARED]],
    [
      'the venue is away',
      { [call.caller.userId]: new RetryableError('x'), nobody: new RetryableError('x') },
      [...OF_USER, ...SHARED],
    ],
  ];
  for (const [name, answers, wanted] of refusals) {
    it(`no question about the own account is refused while ${name}, nor any that this exchange can answer`, async () => {
      exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65001', '3']] });
      const { address } = call.caller;
      const fields = { coin: 'BTC', oid: 5, tid: 5, id: 20, startTime: 0, interval: '1m', builder: address, source: address };
      const req = { coin: 'BTC', interval: '1m', startTime: 0 };
      const refused: string[] = [];
      for (const type of infoTypes()) {
        const answer = answerInfo({ type, ...fields, user: address, req }, call, venueOf(answers).services);
        await answer.catch(() => refused.push(type));
      }
      expect(refused).to.have.members(wanted);
    });
  }

  const cases: [name: string, error: Error, status: number, code: string, retryAfter: string][] = [
    ['the user’s part is used up', own, 429, 'upstream_limited', '13'],
    ['that of all users is', all, 503, 'upstream_busy', '1'],
    ['the venue is away', new RetryableError('away'), 503, 'upstream_unavailable', '1'],
  ];
  for (const [name, error, status, code, retryAfter] of cases) {
    it(`${name}: ${status} ${code}, with the time to wait`, async () => {
      const refusal = await refusalOf(answerInfo(candles, call, venueOf({ [call.caller.userId]: error }).services));
      expect(refusal).to.include({ status, code });
      expect(refusal.headers).to.deep.equal({ 'Retry-After': retryAfter });
    });
  }

  it('a subscriber whose part is used up leaves the question to the next one', async () => {
    const venue = venueOf({ ann: own, bob: ['rows'] });
    const paying = { ...venue.services, payers: () => ['ann', 'bob', 'cid'] };
    expect(await askVenue(paying, { type: 'x' }, 1000)).to.deep.equal(['rows']);
    expect(venue.payers).to.deep.equal(['ann', 'bob']);
  });

  it('when the part of all users is used up no other is tried', async () => {
    const venue = venueOf({ ann: all });
    const refusal = await refusalOf(askVenue({ ...venue.services, payers: () => ['ann', 'bob'] }, { type: 'x' }, 1000));
    expect(refusal.code).to.equal('upstream_busy');
    expect(venue.payers).to.deep.equal(['ann']);
  });
});
