// An exchange that serves the dashboard, the pages that are open in it, and the orders of its accounts. Chromium ends with it.
import { BTC, ETH, SOL, setBooks } from '../faults/coins.ts';
import { type OrderFields, orderAction } from '../orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../stack.ts';
import { TelegramServer, TOKEN } from '../telegramServer.ts';
import { closeChromium } from './chromium.ts';
import { type PageOptions, WatchedPage } from './watchedPage.ts';

export class DashboardStack {
  readonly stack: Stack;
  /** Where the exchange sends alerts of chats. */
  readonly telegram: TelegramServer;
  #pages: WatchedPage[] = [];

  private constructor(stack: Stack, telegram: TelegramServer) {
    this.stack = stack;
    this.telegram = telegram;
  }

  /** @param options.quiet the market stands still, with the books of `coins.ts` (default true) */
  static async start({ quiet = true }: { quiet?: boolean } = {}): Promise<DashboardStack> {
    // History leaves the journal soon, as it does on a real exchange within a minute.
    const soon = { INVOICE_POLL_INTERVAL_MS: '300', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '1000' };
    // A store that is slow on a busy machine, or that a suspended node has not heard of for a while, is not away.
    const telegram = await TelegramServer.start();
    const chats = { TELEGRAM_TOKEN: TOKEN, TELEGRAM_API_BASE: telegram.url };
    const env = { DASHBOARD: 'on', MONGO_TIMEOUT_MS: '60000', ...soon, ...chats };
    const stack = await startStack({ jobs: 1, quiet, env });
    if (quiet) await setBooks(stack.market);
    await workOutDays(stack.market.url);
    return new DashboardStack(stack, telegram);
  }

  /** A page that `endPages` closes. @param options.at the address of another API node than the first */
  async open({ at = this.stack.baseUrl, ...options }: PageOptions & { at?: string } = {}): Promise<WatchedPage> {
    return this.#kept(await WatchedPage.open(at, options));
  }

  /** One more tab of the same reader, closed with the others. */
  async tabOf(page: WatchedPage): Promise<WatchedPage> {
    return this.#kept(await page.tab());
  }

  /** A page with the account logged in, at a path. @param options.isKept the test closes it, or the end of the run */
  async openAs(
    account: TestAccount,
    path = '/overview',
    { isKept = false, ...options }: PageOptions & { isKept?: boolean } = {},
  ): Promise<WatchedPage> {
    const page = await (isKept ? WatchedPage.open(this.stack.baseUrl, options) : this.open(options));
    await page.logIn(account, path);
    return page;
  }

  /** Closes the pages of a test. @throws AssertionError with what went wrong in them */
  async endPages(): Promise<void> {
    const pages = this.#pages;
    this.#pages = [];
    for (const page of pages) await page.close();
    for (const page of pages) page.requireNoFault();
  }

  /** Sends orders as a bot does. @returns the status of each @throws Error with the refusal of the first that is refused */
  async order(account: TestAccount, asset: number, ...orders: readonly OrderFields[]): Promise<readonly OrderStatus[]> {
    const { body } = await this.stack.act(account.apiKey, orderAction(asset, ...orders));
    const statuses: readonly OrderStatus[] = body.response?.data?.statuses ?? [];
    const refused = statuses.find(({ error }) => error !== undefined);
    if (body.status !== 'ok' || refused !== undefined) throw new Error(`refused: ${JSON.stringify(body)}`);
    return statuses;
  }

  async stop(): Promise<void> {
    await closeChromium();
    await this.stack.stop();
    await this.telegram.stop();
  }

  #kept(page: WatchedPage): WatchedPage {
    this.#pages.push(page);
    return page;
  }
}

interface OrderStatus {
  readonly resting?: { readonly oid: number };
  readonly filled?: { readonly oid: number; readonly totalSz: string; readonly avgPx: string };
  readonly error?: string;
}

/**
 * Lets the emulated venue work out the days that pages of positions ask for: on a busy machine that takes longer than the API
 * waits for the venue.
 */
async function workOutDays(url: string): Promise<void> {
  const startTime = Date.now() - 16 * 86_400_000;
  for (const { coin } of [BTC, ETH, SOL]) {
    const body = JSON.stringify({ type: 'candleSnapshot', req: { coin, interval: '1d', startTime, endTime: Date.now() } });
    const answer = await fetch(`${url}/info`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    if (!answer.ok) throw new Error(`daily candles of ${coin}: ${answer.status}`);
  }
}
