// Orders as a client writes them, with defaults for every field that a test does not name.

export interface OrderFields {
  readonly buy?: boolean;
  readonly px: string;
  readonly sz: string;
  readonly tif?: 'Gtc' | 'Ioc' | 'Alo' | 'FrontendMarket';
  readonly reduceOnly?: boolean;
  readonly cloid?: string;
}

/** One element of `orders`. */
export const wireOrder = (asset: number, { buy = true, px, sz, tif = 'Gtc', reduceOnly = false, cloid }: OrderFields) => ({
  a: asset,
  b: buy,
  p: px,
  s: sz,
  r: reduceOnly,
  t: { limit: { tif } },
  ...(cloid === undefined ? {} : { c: cloid }),
});

/** The whole `order` action. */
export const orderAction = (asset: number, ...orders: readonly OrderFields[]) => ({
  type: 'order',
  orders: orders.map((fields) => wireOrder(asset, fields)),
  grouping: 'na',
});
