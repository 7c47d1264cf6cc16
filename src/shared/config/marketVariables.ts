// The variables of the market: its source, its age, what may be asked of it, and what follows from its prices.
import { oneOf, text, whole } from './processVariables.ts';

export const marketVariables = {
  MARKET_SOURCE: oneOf(
    ['live', 'emulated', 'replay'],
    'live',
    'Where market data comes from; shown in /health and in X-Market-Source.',
  ),
  MARKET_URL: text('Base address of a server with the venue’s protocol (`/info`, `/ws`).', 'https://api.hyperliquid.xyz'),
  CONTROL: oneOf(
    ['off', 'on'],
    'off',
    'Whether any user may move the market and the clock with `POST /control`; the same for all processes. For tests: with an emulated venue, and only where no other machine reaches the API.',
  ),
  EMULATOR_SEED: whole('Of the role emulator: the same seed gives the same market.', 1, 0, 2 ** 32 - 1),
  EMULATOR_BEGINS_MS: whole(
    'When the market of the role emulator is at its beginning, which is the same for each start with a seed, ms since 1970; 0: it goes by the calendar.',
    0,
    0,
    8_640_000_000_000_000,
  ),
  EMULATOR_STILL: oneOf(
    ['no', 'yes'],
    'no',
    'Whether the market of the role emulator stands still until `POST /control` moves it.',
  ),
  MARKET_MAX_AGE_MS: whole('Books and marks older than this refuse new orders, milliseconds.', 15_000),
  MARKET_WEIGHT_PER_MINUTE: whole(
    'Request weight that the whole deployment asks the venue for in a minute; the venue allows an address 1,200.',
    1100,
    1,
    1_000_000,
  ),
  MARKET_WEIGHT_RESERVE: whole(
    'Part of that weight that is the market role’s; users’ questions share the rest.',
    500,
    0,
    1_000_000,
  ),
  MARKET_WEIGHT_USER_PERCENT: whole('How much of the users’ part one user may use, percent.', 40, 1, 100),
  CANDLE_STORE_BYTES: whole(
    'Bytes of closed candles that are kept in MongoDB for all users, as text before compression; the longest unused go first; 0: none.',
    200_000_000,
    0,
    1_000_000_000_000,
  ),
  MIRRORS_MAX: whole(
    'Mirrors of addresses of the venue for the whole service, each a WebSocket connection. The venue allows 10 connections and 10 addresses from one place, of which the market needs up to 3; 0: none.',
    5,
    0,
    1000,
  ),
  MARKET_LEASE_TTL_MS: whole('Life of the market leader’s lease, milliseconds.', 3000, 500),
  LIQUIDATION_SCAN_INTERVAL_MS: whole(
    'How often every account is checked for liquidation beside the check at each mark, milliseconds.',
    5000,
    100,
  ),
  AUDIT_RETENTION_DAYS: whole('How long security-relevant acts are kept for their user to read, days.', 365, 1, 36_500),
  EQUITY_SAMPLE_INTERVAL_MS: whole(
    'How often accounts with positions put a point on their equity curves beside those of fills, milliseconds.',
    300_000,
    1000,
  ),
};
