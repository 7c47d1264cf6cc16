// A kept piece of an account's past says which state it shows, like a piece that was just read.
import { expect } from 'chai';
import { AccountAnswers, type Moment } from '../../../../src/api/accounts/accountAnswers.ts';
import type { AccountGateway } from '../../../../src/api/accounts/accountGateway.ts';
import { type AccountHistory, pastOf } from '../../../../src/api/accounts/services.ts';
import { KeptHistory } from '../../../../src/api/accounts/views/accountReading.ts';
import { AccountViews } from '../../../../src/api/accounts/views/accountViews.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { ExchangeInMemory } from '../../../support/exchangeInMemory.ts';
import { newestFormats } from '../../../support/formats.ts';
import { orderAction } from '../../../support/orderWire.ts';

describe('KeptHistory: rows that are given again', () => {
  it('tell the number and the name of the state that they are of', async () => {
    const exchange = new ExchangeInMemory();
    exchange.setMarket('BTC', { mark: '65000', bids: [['64900', '10']], asks: [['65100', '10']] });
    const { services, call } = exchange;
    const views = new AccountViews({
      ...{
        rules: tradingRules,
        gateway: services.gateway,
        log: services.log,
        market: exchange.market,
        formats: newestFormats,
        now: () => exchange.nowMs,
      },
      versions: { read: async () => exchange.version },
      config: { VIEWS_MAX_BYTES: 1e8 },
    });
    let reads = 0;
    /** Rows come with an answer of the account, as from the history reader. */
    const historyOf = (gateway: Pick<AccountGateway, 'ask'>): AccountHistory => ({
      ...services.history,
      latest: async (past, kind, limit) => {
        reads += 1;
        await gateway.ask(past.accountId, { kind: 'history', rows: kind, want: { limit: 1000 } }, { requestId: '' });
        return services.history.latest(past, kind, limit);
      },
    });
    const answers = new AccountAnswers({
      services: { ...services, gateway: { ...services.gateway, ask: views.ask.bind(views) } },
      historyOf: (gateway, onKept) => new KeptHistory({ views, gateway, historyOf, onKept }),
      history: { stored: async () => [] },
    });
    const ask = async (): Promise<Moment> => {
      const read = answers.read(({ history }) => history.latest(pastOf(call), 'fills', 10), { withHash: true });
      const { data, first, last } = await read;
      expect(data).to.have.length(1);
      expect(last).to.deep.equal(first);
      return first;
    };
    await exchange.exchange(orderAction(0, { px: '65200', sz: '0.001', tif: 'Ioc' }));
    const read = await ask();
    expect(read.seq).to.equal(exchange.version.seq);
    expect(read.stateHash).to.match(/^h2:/);
    for (let n = 0; n < 5; n++) expect(await ask()).to.deep.equal(read);
    expect(reads).to.be.lessThan(6);
  });
});
