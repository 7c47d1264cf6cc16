// The task of each of the worst callers. A caller knows the contract, has five keys where it has an account, and goes on without a
// pause whatever it is answered: the limits are the exchange's business.
import { Agent, request as httpRequest } from 'node:http';
import { orderAction } from '../../test/support/orderWire.ts';
import type { CallerName, CallerTask } from './callerTask.ts';
import { openSockets, pipeline, type Rude, watchAccounts } from './rudeSockets.ts';

/** A caller that calls until it has to stop. */
export class RudeCaller {
  readonly #task: CallerTask;
  readonly #agent: Agent;
  readonly answers: Record<string, number> = {};
  #isStopped = false;

  constructor(task: CallerTask) {
    this.#task = task;
    this.#agent = new Agent({ keepAlive: true, localAddress: task.address, maxSockets: 64 });
  }

  stop(): void {
    this.#isStopped = true;
    this.#agent.destroy();
  }

  begin(): void {
    const of: Record<CallerName, () => void> = {
      bodies: () => this.#sendBodies(),
      batches: () => this.#sendBatches(),
      questions: () => this.#askMuch(),
      sockets: () => openSockets(this.#rude),
      watchers: () => watchAccounts(this.#rude),
      pipelines: () => pipeline(this.#rude),
      passwords: () => this.#tryPasswords(),
      venue: () => this.#askVenue(),
      dryRuns: () => this.#tryOut(),
      operator: () => this.#operate(),
      lab: () => this.#useLab(),
    };
    of[this.#task.name]();
  }

  /** Bodies without a credential that cost much to read: long numbers, depth, and large ones where a signature is expected. */
  #sendBodies(): void {
    const fill = (bytes: number): string =>
      `[${Array(Math.floor(bytes / 101))
        .fill('9'.repeat(99))
        .join(',')}]`;
    const deep = (bytes: number): string => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2);
    const signature = { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'a'.repeat(64)}` };
    const large = [fill(1_000_000), deep(1_000_000), fill(250_000), fill(16_000), deep(16_000)];
    this.#loop(12, (n) => {
      const body = large[n % large.length] as string;
      return n % 2 === 0 ? this.#post('/v1/auth/login', body) : this.#post('/v1/billing/webhooks/stripe', body, signature);
    });
  }

  /** A thousand orders that rest, then all of them canceled, without an end. */
  #sendBatches(): void {
    const orders = Array.from({ length: 1000 }, (_, i) => ({ px: String(40_000 + i), sz: '0.001' }));
    const place = JSON.stringify(orderAction(0, ...orders));
    this.#loop(8, async (n) => {
      const nonce = Date.now() * 10 + (n % 10);
      if (n % 2 === 0) return this.#trade(n, `{"action":${place},"nonce":${nonce}}`);
      const cancels = Array.from({ length: 1000 }, (_, i) => ({ a: 0, o: 1 + i }));
      return this.#trade(n, JSON.stringify({ action: { type: 'cancel', cancels }, nonce }));
    });
  }

  /** The longest answers about itself, over what a hundred batches have left. */
  #askMuch(): void {
    const orders = Array.from({ length: 200 }, () => ({ px: '80000', sz: '0.001', tif: 'Ioc' as const }));
    const fills = JSON.stringify(orderAction(0, ...orders));
    const types = ['userFills', 'historicalOrders', 'openOrders', 'webData2', 'frontendOpenOrders', 'userFunding'];
    this.#loop(8, (n) => {
      if (n % 4 === 0) return this.#trade(n, `{"action":${fills},"nonce":${Date.now() * 10 + (n % 10)}}`);
      if (n % 4 === 1) return this.#get(`/v1/exchanges/perpx/account/${n % 8 === 1 ? 'analytics' : 'equity-curve'}`);
      return this.#ask(n, { type: types[n % types.length] as string, startTime: 0 });
    });
  }

  /** Wrong passwords of everybody, new accounts, and mails. */
  #tryPasswords(): void {
    this.#loop(16, (n) => {
      const password = `wrong password ${n}`;
      const email = n % 3 === 0 ? this.#task.email : `somebody-${n}@example.com`;
      const path = n % 5 === 4 ? 'register' : n % 5 === 3 ? 'forgot-password' : 'login';
      return this.#post(`/v1/auth/${path}`, JSON.stringify(path === 'forgot-password' ? { email } : { email, password }));
    });
  }

  /** Questions that only the venue can answer, each another one. */
  #askVenue(): void {
    const coins = ['BTC', 'ETH', 'SOL', 'ARB', 'DOGE', 'AVAX'];
    const intervals = ['1m', '5m', '15m', '1h', '4h', '1d'];
    this.#loop(12, (n) => {
      const coin = coins[n % coins.length];
      const endTime = Date.now() - n * 1000;
      if (n % 3 === 0) return this.#ask(n, { type: 'fundingHistory', coin, startTime: endTime - 86_400_000 });
      const req = { coin, interval: intervals[n % intervals.length], startTime: endTime - 3_600_000, endTime };
      return this.#ask(n, { type: 'candleSnapshot', req });
    });
  }

  /** A thousand orders that would walk the book and a thousand that would rest, tried out without an end. */
  #tryOut(): void {
    const [resting, taking] = [
      Array.from({ length: 1000 }, (_, i) => ({ px: String(40_000 + i), sz: '0.001' })),
      Array.from({ length: 1000 }, () => ({ px: '80000', sz: '0.001', tif: 'Ioc' as const })),
    ].map((orders) => JSON.stringify(orderAction(0, ...orders)));
    this.#loop(8, (n) => this.#trade(n, `{"action":${n % 2 === 0 ? resting : taking},"dryRun":true}`));
  }

  /** All lists at their longest, and acts that have to look for what is not there. */
  #operate(): void {
    const { token, password, user } = this.#task;
    const bearer = { authorization: `Bearer ${token}` };
    const lists = [
      'users?limit=500&q=',
      'invoices?limit=500',
      'discounts?limit=500',
      'audit?limit=500',
      'dead-letters?limit=500',
    ];
    const looks = [...lists, 'shards', 'queues', 'quarantine', 'overview'].map((path) => `/v1/admin/${path}`);
    const acts = [`quarantine/${user}/lift`, 'dead-letters/0:1-1/requeue', 'discounts/NONE/end'].map(
      (path) => `/v1/admin/${path}`,
    );
    const begin = this.#post('/v1/admin/confirm', JSON.stringify({ password }), bearer);
    this.#loop(16, async (n) => {
      await begin;
      if (n % 4 === 3) return this.#request('POST', acts[n % acts.length] as string, '', bearer);
      return this.#request('GET', looks[n % looks.length] as string, '', bearer);
    });
  }

  /** Keys that hold back all they can: orders and answers for 10 s, markets of 10 s ago and some that stand still; and questions of all coins. */
  #useLab(): void {
    const bearer = { authorization: `Bearer ${this.#task.token}` };
    const profileOf = (at: number): string =>
      JSON.stringify({
        latency: { submit: 10_000, cancel: 10_000, answer: at % 2 === 0 ? 10_000 : 0 },
        faults: { partialFill: 1 },
        feed: at < 3 ? { delay: 10_000 } : { freeze: true },
      });
    const begin = fetch(`${this.#task.baseUrl}/v1/auth/api-keys`, { headers: bearer }).then(async (answer) => {
      const { api_keys: keys } = (await answer.json()) as { api_keys: readonly { id: string }[] };
      for (const [at, { id }] of keys.entries())
        await this.#request('PUT', `/v1/auth/api-keys/${id}/lab`, profileOf(at), {
          'content-type': 'application/json',
          ...bearer,
        });
    });
    const order = JSON.stringify(orderAction(0, { px: '80000', sz: '0.001' }));
    this.#loop(64, async (n) => {
      await begin;
      if (n % 3 === 0) return this.#trade(n, `{"action":${order},"nonce":${Date.now() * 10 + (n % 10)}}`);
      return this.#ask(n, n % 3 === 1 ? { type: 'metaAndAssetCtxs' } : { type: 'webData2', user: this.#task.user });
    });
  }

  #loop(conversations: number, act: (n: number) => Promise<void>): void {
    let n = 0;
    const converse = async (): Promise<void> => {
      while (!this.#isStopped) await act(n++);
    };
    for (let i = 0; i < conversations; i++) {
      converse().catch((error: unknown) => {
        if (!this.#isStopped) throw error;
      });
    }
  }

  get #rude(): Rude {
    return { task: this.#task, count: (what) => this.#count(what), isStopped: () => this.#isStopped };
  }

  #trade(n: number, body: string): Promise<void> {
    return this.#post('/v1/exchanges/perpx/exchange', body, this.#keyOf(n));
  }

  #ask(n: number, body: object): Promise<void> {
    return this.#post('/v1/exchanges/perpx/info', JSON.stringify(body), this.#keyOf(n));
  }

  #get(path: string): Promise<void> {
    return this.#request('GET', path, '', { authorization: `Bearer ${this.#task.token}` });
  }

  #keyOf(n: number): Record<string, string> {
    return { 'x-api-key': this.#task.keys[n % this.#task.keys.length] as string };
  }

  #post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.#request('POST', path, body, { 'content-type': 'application/json', ...headers });
  }

  /** Resolves when the answer has been read, or the connection was cut. */
  #request(method: string, path: string, body: string, headers: Readonly<Record<string, string>>): Promise<void> {
    return new Promise((resolve) => {
      const options = { method, agent: this.#agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
      const request = httpRequest(new URL(path, this.#task.baseUrl), options, (response) => {
        this.#count(String(response.statusCode));
        response.resume();
        response.once('close', resolve);
      });
      request.once('error', () => {
        this.#count('cut');
        resolve();
      });
      request.end(body);
    });
  }

  #count(what: string): void {
    this.answers[what] = (this.answers[what] ?? 0) + 1;
  }
}
