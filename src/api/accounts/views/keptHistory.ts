// An account's history as endpoints read it: what was read is kept beside the account's view and given again while the account
// has not changed. Rows come only with entries, so it is what would be read anew.
import type { HistoryKind, OrderTarget } from '../../../actors/core/messages/command.ts';
import type { FillRow, NumberedRow, OrderRow } from '../../../actors/core/messages/historyRows.ts';
import type { AccountGateway } from '../accountGateway.ts';
import type { HistoryPage, HistoryPageWanted } from '../historyReader.ts';
import type { Past } from '../historySources.ts';
import type { HistoryRange } from '../mergedHistory.ts';
import type { AccountHistory } from '../services.ts';
import type { AccountView } from './accountView.ts';
import type { AccountViews } from './accountViews.ts';

export interface KeptHistoryParts {
  readonly views: Pick<AccountViews, 'past'>;
  /** For questions to the account. */
  readonly gateway: Pick<AccountGateway, 'ask'>;
  readonly historyOf: (gateway: Pick<AccountGateway, 'ask'>) => AccountHistory;
  /** Told when nothing was read: the data shows the state of this view. */
  readonly onKept: (view: AccountView) => void;
}

type KeyOf = (view: AccountView) => string;

export class KeptHistory implements AccountHistory {
  readonly #parts: KeptHistoryParts;

  constructor(parts: KeptHistoryParts) {
    this.#parts = parts;
  }

  latest(past: Past, kind: HistoryKind, limit: number): Promise<NumberedRow[]> {
    return this.#past(
      past,
      () => `latest ${kind} ${limit}`,
      (history) => history.latest(past, kind, limit),
    );
  }

  between(past: Past, kind: HistoryKind, range: HistoryRange): Promise<NumberedRow[]> {
    return this.#past(
      past,
      (view) => `between ${kind} ${JSON.stringify(inView(range, view))}`,
      (history) => history.between(past, kind, range),
    );
  }

  findOrder(past: Past, target: OrderTarget): Promise<OrderRow | undefined> {
    return this.#past(
      past,
      () => `order ${JSON.stringify(target)}`,
      (history) => history.findOrder(past, target),
    );
  }

  /** Pages follow each other, so they are not kept. */
  page(past: Past, kind: HistoryKind, want: HistoryPageWanted): Promise<HistoryPage> {
    return this.#parts.historyOf(this.#parts.gateway).page(past, kind, want);
  }

  findFill(past: Past, tid: number): Promise<FillRow | undefined> {
    return this.#parts.historyOf(this.#parts.gateway).findFill(past, tid);
  }

  async #past<Data>(
    { accountId, ...options }: Past,
    key: KeyOf,
    read: (history: AccountHistory) => Promise<Data>,
  ): Promise<Data> {
    const { views, gateway, historyOf, onKept } = this.#parts;
    const { data, view } = await views.past(accountId, key, {
      ...options,
      read: async () => {
        const seqs: number[] = [];
        const noting: Pick<AccountGateway, 'ask'> = {
          ask: async (...asked) => {
            const answered = await gateway.ask(...asked);
            seqs.push(answered.seq);
            return answered;
          },
        };
        const rows = await read(historyOf(noting));
        return { data: rows, rows: Array.isArray(rows) ? rows.length : 1, seqs };
      },
    });
    if (view !== undefined) onKept(view);
    return data;
  }
}

/** An end that lies after the account's last entry is no end: what is asked up to now again and again is the same. */
const inView = ({ endMs, ...range }: HistoryRange, { account }: AccountView): HistoryRange =>
  endMs === undefined || endMs >= account.timeMs ? range : { ...range, endMs };
