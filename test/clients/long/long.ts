// The pages of clients that take minutes to install or to build: bin/test clients-all alone runs them.

interface Long {
  /** Text that it prints, whatever else it prints. */
  readonly prints: readonly RegExp[];
  /** The oldest minor version of Python 3 that it runs on. */
  readonly python?: number;
}

const FILLS = [/^resting \d+ at/m, /^canceled \d+/m, /^fill of \d+: Open Long 0\.01 at/m, /^fill of \d+: Close Long 0\.01 at/m];

/** By the name of the example. */
export const LONG: Readonly<Record<string, Long>> = {
  freqtrade: { python: 11, prints: [/"exit_reason": "the stop has moved"/, /"ft_order_side": "sell"/] },
  nautilus_trader: {
    python: 12,
    prints: [/^resting \d+/m, /^canceled \d+/m, /^filled BUY 0\.0100 at/m, /^position 0\.01 at/m, /^filled SELL 0\.0100 at/m],
  },
  'go-hyperliquid': { prints: FILLS },
  hyperliquid_rust_sdk: { prints: FILLS },
  hummingbot: {
    python: 12,
    prints: [/^resting \[/m, /^canceled 0x/m, /^filled BUY 0\.01 at/m, /^filled SELL 0\.01 at/m],
  },
};
