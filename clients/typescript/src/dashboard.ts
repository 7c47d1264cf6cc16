// The account as a dashboard shows it: figures, and lists as iterators.
import { answered, ON_EXCHANGE, type Operations, pages, type Shape } from './calls.js';
import { type AskPath, type ExportEnd, type ExportOptions, saveExport } from './exports.js';
import type { paths } from './schema.js';

type QueryOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

type Rows<Row> = AsyncGenerator<Row, void, undefined>;

/**
 * `account` in the query names an account of the user. Reads only, so it answers for an account whose trial is over, too. Money is
 * decimal text.
 */
export class Dashboard {
  readonly #operations: Operations;
  readonly #ask: AskPath;

  constructor(operations: Operations, ask: AskPath) {
    this.#operations = operations;
    this.#ask = ask;
  }

  /** All accounts of the user, and their totals, which transfers between them do not change. */
  group(): Promise<Shape<'AccountGroup'>> {
    return answered(this.#operations.GET('/v1/exchanges/{exchange}/account/group', { params: { path: ON_EXCHANGE } }));
  }

  /** The account at this moment. */
  overview(query: QueryOf<'/v1/exchanges/{exchange}/account/overview'> = {}): Promise<Shape<'Overview'>> {
    const params = { path: ON_EXCHANGE, query };
    return answered(this.#operations.GET('/v1/exchanges/{exchange}/account/overview', { params }));
  }

  /** Open positions. */
  async positions(query: QueryOf<'/v1/exchanges/{exchange}/account/positions'> = {}): Promise<Shape<'AccountPosition'>[]> {
    const params = { path: ON_EXCHANGE, query };
    return (await answered(this.#operations.GET('/v1/exchanges/{exchange}/account/positions', { params }))).items;
  }

  /** Open orders, newest first, read page by page. */
  openOrders(wanted: QueryOf<'/v1/exchanges/{exchange}/account/orders/open'> = {}): Rows<Shape<'AccountOrder'>> {
    const path = '/v1/exchanges/{exchange}/account/orders/open';
    return pages((at) => answered(this.#operations.GET(path, { params: { path: ON_EXCHANGE, query: { ...wanted, ...at } } })));
  }

  /** Orders, each once as it stands, newest first, read page by page. */
  orders(wanted: QueryOf<'/v1/exchanges/{exchange}/account/orders'> = {}): Rows<Shape<'AccountOrder'>> {
    const path = '/v1/exchanges/{exchange}/account/orders';
    return pages((at) => answered(this.#operations.GET(path, { params: { path: ON_EXCHANGE, query: { ...wanted, ...at } } })));
  }

  /** Executions, newest first, read page by page. */
  fills(wanted: QueryOf<'/v1/exchanges/{exchange}/account/fills'> = {}): Rows<Shape<'AccountFill'>> {
    const path = '/v1/exchanges/{exchange}/account/fills';
    return pages((at) => answered(this.#operations.GET(path, { params: { path: ON_EXCHANGE, query: { ...wanted, ...at } } })));
  }

  /** Positions from flat to flat, newest first, read page by page. */
  roundTrips(wanted: QueryOf<'/v1/exchanges/{exchange}/account/round-trips'> = {}): Rows<Shape<'RoundTrip'>> {
    const path = '/v1/exchanges/{exchange}/account/round-trips';
    return pages((at) => answered(this.#operations.GET(path, { params: { path: ON_EXCHANGE, query: { ...wanted, ...at } } })));
  }

  /** The results of positions that became flat in a range of time. */
  roundTripFigures(
    query: QueryOf<'/v1/exchanges/{exchange}/account/round-trips/figures'> = {},
  ): Promise<Shape<'RoundTripFigures'>> {
    const params = { path: ON_EXCHANGE, query };
    return answered(this.#operations.GET('/v1/exchanges/{exchange}/account/round-trips/figures', { params }));
  }

  /** The results of trading over a period. */
  analytics(query: QueryOf<'/v1/exchanges/{exchange}/account/analytics'> = {}): Promise<Shape<'Analytics'>> {
    const params = { path: ON_EXCHANGE, query };
    return answered(this.#operations.GET('/v1/exchanges/{exchange}/account/analytics', { params }));
  }

  /** Account value and balance over a period, oldest first. */
  async equityCurve(query: QueryOf<'/v1/exchanges/{exchange}/account/equity-curve'> = {}): Promise<Shape<'EquityPoint'>[]> {
    const params = { path: ON_EXCHANGE, query };
    return (await answered(this.#operations.GET('/v1/exchanges/{exchange}/account/equity-curve', { params }))).points;
  }

  /**
   * Saves all rows of a kind, or the journal, as lines of JSON, oldest first. A file that is there goes on behind its last whole line, in
   * this call where a connection breaks, and in a later one.
   * @throws {IncompleteExportError} when the rest is missing, with why
   */
  export(path: string, options: ExportOptions = {}): Promise<ExportEnd> {
    return saveExport(this.#ask, path, options);
  }
}
