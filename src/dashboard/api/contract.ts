// Answers of the API as its contract describes them. Made by test/dashboard/contract.test.ts with UPDATE_DOCS=1 from the contract
// and from what the dashboard's files import from here; never edited by hand.

export type TradeSide = 'buy' | 'sell';
export type Liquidity = 'maker' | 'taker';
export type ListedStatus = 'open' | 'filled' | 'canceled' | 'rejected' | 'triggered';
export type PositionSide = 'long' | 'short';
export type MarginMode = 'cross' | 'isolated';
export type Leverage = CrossLeverage | IsolatedLeverage;
export type AlertChannel = 'webhook' | 'mail' | 'telegram';
export type AlertMessageType =
  | 'fill'
  | 'order_ended'
  | 'liquidation'
  | 'margin'
  | 'drawdown'
  | 'house_rule'
  | 'bot_silent'
  | 'trial_end'
  | 'new_key'
  | 'new_device'
  | 'test';
export type AlertDeliveryStatus = 'waiting' | 'delivered' | 'dead';
export type AlertKind =
  | 'fill'
  | 'order_ended'
  | 'liquidation'
  | 'margin'
  | 'drawdown'
  | 'house_rule'
  | 'bot_silent'
  | 'trial_end'
  | 'new_key'
  | 'new_device';
export type AlertPause = 'user' | 'failing';
export type AlertEndpointStatus = 'unproven' | 'active' | 'paused';
export type Period = '1d' | '7d' | '30d' | 'all';
export type KeyScope = 'read' | 'trade' | 'admin:read' | 'admin:write';
export type ApiKeyStatus = 'active' | 'expired';
export type AuditOutcome = 'ok' | 'refused';
export type BillingPeriod = 'month' | 'year';
export type HouseRuleName = 'daily_loss' | 'drawdown' | 'hours' | 'coins';
export type CancelResult = Success | ElementError;
export type Success = 'success';
/**
 * `B` buy, `A` sell.
 */
export type Side = 'B' | 'A';
/**
 * @maxItems 0
 */
export type EmptyList = unknown[];
export type RuleAct = 'warn' | 'refuse' | 'close';
export type FillSource = 'book' | 'trade' | 'bookGap' | 'takeOver' | 'settlement' | 'unknown';
export type FillModel = 'queue' | 'probable' | 'touch' | 'pessimistic';
export type ComparedWhat =
  | 'filled'
  | 'rested'
  | 'waits'
  | 'triggered'
  | 'resized'
  | 'ended'
  | 'liquidated'
  | 'closed'
  | 'twap'
  | 'funding'
  | 'money'
  | 'leverage'
  | 'margin'
  | 'rule'
  | 'reset'
  | 'lost';
export type ComparedWhy =
  'fees' | 'leverage' | 'fill_model' | 'latency' | 'command' | 'own_money' | 'lost' | 'earlier' | 'moment';
export type ComparisonBegins = 'common' | 'since' | 'kept';
export type DiscountKind = 'percent' | 'amount';
export type DiscountScope = 'first' | 'all';
export type DivergenceBegins = 'whole' | 'kept' | 'since';
export type DivergenceState = 'filled' | 'partial' | 'missed' | 'waits' | 'unread';
export type DryRunActionAnswer = OrdersAnswer | CancelsAnswer | DoneAnswer | RefusedAnswer;
export type OrderResult = OrderResting | OrderFilled | WaitingOrder | ElementError;
/**
 * `waitingForFill`: waits for its parent. `waitingForTrigger`: waits for the mark price.
 */
export type WaitingOrder = 'waitingForFill' | 'waitingForTrigger';
export type ExcursionMissing = 'later' | 'not_whole' | 'too_many_fills' | 'no_candles';
export type ExcursionResolution = '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | 'fills';
export type OpenReason =
  | 'staleMarket'
  | 'alreadyTaken'
  | 'outOfSight'
  | 'inQueue'
  | 'frontOfQueue'
  | 'waitsForBeyond'
  | 'waitsForMark'
  | 'waitsForParent'
  | 'firedIntoTaken'
  | 'firedBeyondShown'
  | 'heldByLab';
export type TriggerDirection = 'above' | 'below';
export type LabFault = '429' | '500' | '502' | 'timeoutBefore' | 'timeoutAfterEffect' | 'dropSocket' | 'duplicateAnswer';
export type FeeSource = 'default' | 'tier' | 'own' | 'volume' | 'what_if';
export type FilledBy = 'order' | 'copy' | 'both';
export type GrantedRole = 'operator';
export type HealthCause = 'stores_away' | 'accounts_starting' | 'market_stale' | 'history_away' | 'jobs_away' | 'other';
export type MarketSource = 'live' | 'emulated' | 'replay';
export type HealthStatus = 'ok' | 'degraded' | 'unavailable';
export type LeftOutKind = 'balance' | 'position' | 'leverage' | 'order';
export type LeftOutReason =
  | 'spot'
  | 'unlisted'
  | 'delisted'
  | 'no_price'
  | 'margin_mode'
  | 'below_lot'
  | 'below_minimum'
  | 'leverage'
  | 'never_rests'
  | 'would_trade'
  | 'too_many'
  | 'refused';
export type InvoiceStatus = 'open' | 'paid' | 'expired' | 'void' | 'refunded' | 'disputed';
export type PlanName = 'basic' | 'pro';
export type LabAct = 'place' | 'modify' | 'cancel';
export type LabPresetName = 'slowVenue' | 'jitter' | 'rateLimitStorm' | 'outage' | 'lostAnswers' | 'thinFills' | 'staleFeed';
export type LabRefusal =
  | 'postOnlyAfterUpgrade'
  | 'halted'
  | 'invalidSize'
  | 'priceOffTick'
  | 'invalidPrice'
  | 'reduceOnlyWouldIncrease'
  | 'valueTooSmall'
  | 'nothingToMatch'
  | 'noLiquidity'
  | 'openInterestIncrease'
  | 'tierLimit'
  | 'insufficientMargin'
  | 'tooManyOpenOrders';
export type MirrorState = 'starting' | 'following';
export type SubscriptionStatus = 'trial' | 'active' | 'past_due' | 'expired';
export type TwapStatusName = 'activated' | 'waitingForTrigger' | 'finished' | 'terminated' | 'stopped';
export type WhatIfState = 'receiving' | 'lagging' | 'gone' | 'none';

export interface AccountFees {
  /**
   * `default`: the service’s own rates; else what the user has chosen, or the terms of a what-if.
   */
  readonly source: 'default' | 'tier' | 'own' | 'volume' | 'what_if';
  /**
   * Of the venue; null: the rates are of none.
   */
  readonly tier: number | null;
  readonly rebate: number | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly maker: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly taker: string;
}
export interface AccountFill {
  /**
   * Id of an execution.
   */
  readonly tid: number;
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: TradeSide;
  readonly direction: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly price: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly size: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fee: string;
  readonly liquidity: Liquidity;
  /**
   * A decimal number as text, always with a point.
   */
  readonly closed_pnl: string;
  /**
   * ISO 8601, UTC.
   */
  readonly time: string;
}
export interface AccountGroup {
  readonly accounts: GroupAccount[];
  readonly total: GroupTotal;
}
export interface GroupAccount {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly address: string;
  /**
   * null: the master account.
   */
  readonly name: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly account_value: string;
  /**
   * Account value less unrealized PnL.
   */
  readonly balance: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly unrealized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly margin_used: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly withdrawable: string;
  readonly open_positions: number;
  readonly open_orders: number;
  /**
   * A decimal number as text, always with a point.
   */
  readonly realized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fees_paid: string;
  /**
   * What came from the other accounts is a deposit, what went to them a withdrawal.
   */
  readonly net_deposits: string;
  readonly account_terms: AccountTerms;
  /**
   * Journal entry of the account that the figures are of.
   */
  readonly seq: number;
  readonly transfers_under_way: TransferUnderWay[];
  /**
   * Where it began; null: it is no fork, or was reset.
   */
  readonly fork: ForkOrigin | null;
  /**
   * Of a fork under other terms, which receives the commands of the account that it began from.
   */
  readonly what_if: WhatIf | null;
  /**
   * The address that it began with; null: it is no import, or was reset.
   */
  readonly import: ImportOrigin | null;
  /**
   * How it follows that address; null: it does not.
   */
  readonly following: GroupFollowing | null;
  /**
   * ISO 8601, UTC.
   */
  readonly as_of: string;
}
export interface AccountTerms {
  readonly fees: AccountFees;
  /**
   * Of orders that come to rest now.
   */
  readonly fill_model: 'queue' | 'probable' | 'touch' | 'pessimistic';
  /**
   * When the terms last changed; null: all fills since the account began, or was reset, are under them.
   */
  readonly changed: string | null;
  /**
   * The same in words.
   */
  readonly text: string;
}
export interface TransferUnderWay {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly to: string;
  /**
   * Names it among those between the two.
   */
  readonly number: number;
  /**
   * A decimal number as text, always with a point.
   */
  readonly usd: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  readonly sent_time: number;
}
export interface ForkOrigin {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly of: string;
  /**
   * Journal entry of that account.
   */
  readonly seq: number;
  /**
   * Of the entry.
   */
  readonly time: string;
  readonly state_hash: string;
  /**
   * Balance that it began with; among its deposits.
   */
  readonly usd: string;
}
export interface WhatIf {
  readonly terms: WhatIfTerms;
  /**
   * `receiving`, or why no commands come: `lagging`, too many waited; `gone`, it was reset; `none`, its source was, or has too many.
   */
  readonly state: 'receiving' | 'lagging' | 'gone' | 'none';
  /**
   * Commands that it has had.
   */
  readonly received: number;
  /**
   * Commands that wait for it; null: it receives none.
   */
  readonly waiting: number | null;
}
/**
 * An object with fees, leverage, fill_model and latency.
 */
export interface WhatIfTerms {
  readonly fees?: OwnFees;
  /**
   * Of every coin, where the coin allows as much.
   */
  readonly leverage?: number;
  /**
   * When its resting orders fill.
   */
  readonly fill_model?: 'queue' | 'probable' | 'touch' | 'pessimistic';
  readonly latency?: WhatIfLatency;
}
/**
 * Its fee rates.
 */
export interface OwnFees {
  /**
   * Fraction of the notional, of orders that rested; negative = the account gets it.
   */
  readonly maker: string;
  /**
   * Of orders that crossed.
   */
  readonly taker: string;
}
/**
 * Of the commands that it receives.
 */
export interface WhatIfLatency {
  /**
   * Of draws; 1 without it.
   */
  readonly seed?: number;
  /**
   * Orders and modifies wait in the account for so long before they are decided.
   */
  readonly submit?: number | LabLogNormal;
  /**
   * Cancels do; one may come too late.
   */
  readonly cancel?: number | LabLogNormal;
}
/**
 * An object with medianMs and sigma.
 */
export interface LabLogNormal {
  /**
   * A whole number from 0 to 10000.
   */
  readonly medianMs: number;
  /**
   * A number from 0 to 3.
   */
  readonly sigma: number;
  readonly spikes?: LabSpikes;
}
/**
 * An object with probability and ms.
 */
export interface LabSpikes {
  /**
   * A number from 0 to 1.
   */
  readonly probability: number;
  /**
   * A whole number from 0 to 10000.
   */
  readonly ms: number;
}
export interface ImportOrigin {
  /**
   * Of the venue.
   */
  readonly address: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly scale: string;
  /**
   * Journal entry that has it.
   */
  readonly seq: number;
  /**
   * Of the entry.
   */
  readonly time: string;
  /**
   * Balance that it began with; among its deposits.
   */
  readonly usd: string;
}
export interface GroupFollowing {
  /**
   * Fills of the address count from this time of the venue on.
   */
  readonly since: string;
  /**
   * The newest fill of the address that the account has heard of, or `since`.
   */
  readonly through: string;
  /**
   * Open orders of the address that have a copy here, or had one that is over already.
   */
  readonly copies: number;
}
export interface GroupTotal {
  /**
   * A decimal number as text, always with a point.
   */
  readonly account_value: string;
  /**
   * Account value less unrealized PnL.
   */
  readonly balance: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly unrealized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly margin_used: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly withdrawable: string;
  readonly open_positions: number;
  readonly open_orders: number;
  /**
   * In `account_value` and `balance` too: what forks began with. No account has lost it; a fork made it.
   */
  readonly forked_usd: string;
  /**
   * The same of imports.
   */
  readonly imported_usd: string;
  /**
   * In `account_value` and `balance` too: what accounts have sent less what others have received. Below 0 where a sender was asked first.
   */
  readonly under_way_usd: string;
}
export interface AccountOrder {
  /**
   * Id of an order.
   */
  readonly oid: number;
  readonly cloid: string | null;
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: TradeSide;
  readonly order_type: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly limit_price: string;
  readonly trigger_price: string | null;
  /**
   * Coins that it could ever fill: as requested, less what was cut of a reduce-only order.
   */
  readonly size: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly filled_size: string;
  readonly average_price: string | null;
  readonly status: ListedStatus;
  /**
   * The exact status where `status` says less, e.g. `marginCanceled`.
   */
  readonly reason: string | null;
  readonly reduce_only: boolean;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly updated_at: string;
}
export interface AccountPosition {
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: PositionSide;
  /**
   * Coins.
   */
  readonly size: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly entry_price: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly mark_price: string;
  /**
   * USD at the mark.
   */
  readonly notional: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly unrealized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly return_on_equity: string;
  readonly leverage: number;
  readonly margin_mode: MarginMode;
  /**
   * A decimal number as text, always with a point.
   */
  readonly margin_used: string;
  readonly liquidation_price: string | null;
  /**
   * Since the position was opened, USD; > 0 = received.
   */
  readonly funding: string;
}
export interface ActiveAssetData {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly user: string;
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly leverage: Leverage;
  /**
   * Coins that could be bought and sold.
   *
   * @minItems 2
   * @maxItems 2
   *
   * Items: A decimal number as text, always with a point.
   */
  readonly maxTradeSzs: string[];
  /**
   * USD for buying and selling.
   *
   * @minItems 2
   * @maxItems 2
   *
   * Items: A decimal number as text, always with a point.
   */
  readonly availableToTrade: string[];
  /**
   * A decimal number as text, always with a point.
   */
  readonly markPx: string;
}
export interface CrossLeverage {
  readonly type: 'cross';
  readonly value: number;
}
export interface IsolatedLeverage {
  readonly type: 'isolated';
  readonly value: number;
  /**
   * Cash inside the position, USD.
   */
  readonly rawUsd: string;
}
export interface ActorPod {
  readonly pod_id: string;
  readonly leaving: boolean;
  readonly shards: number[];
  readonly accounts: number;
  /**
   * ISO 8601, UTC.
   */
  readonly heartbeat: string;
  /**
   * Newest generation of stored forms that it reads.
   */
  readonly reads: number;
  /**
   * Shards that it left to newer pods, and what it met there.
   */
  readonly refused: RefusedShard[];
}
export interface RefusedShard {
  readonly shard: number;
  readonly form: string;
  readonly version: number;
}
export interface AlertDelivery {
  /**
   * Id of a message, its header `webhook-id`: the same in every try.
   */
  readonly message_id: string;
  /**
   * Id of an endpoint.
   */
  readonly endpoint: string;
  readonly type: AlertMessageType;
  /**
   * The account that it is about; null of a test, and of what is about the user.
   */
  readonly account: string | null;
  readonly status: AlertDeliveryStatus;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  readonly tries: number;
  readonly last_try_at: string | null;
  /**
   * What the last try came to.
   */
  readonly result: string | null;
  /**
   * Not before then, and not before the messages of its account ahead of it.
   */
  readonly next_try_at: string | null;
  /**
   * As a webhook gets it; mails and chats have a line made of it.
   */
  readonly body: string;
}
export interface AlertDeliveryPage {
  /**
   * Where the next page begins; null at the end.
   */
  readonly next_cursor: string | null;
  readonly items: AlertDelivery[];
}
export interface AlertEndpoint {
  /**
   * Id of an endpoint.
   */
  readonly id: string;
  readonly channel: AlertChannel;
  /**
   * Of a webhook.
   */
  readonly url: string | null;
  /**
   * Of Telegram: the name of the chat, or of its user, that has sent the code; null before that.
   */
  readonly chat: string | null;
  readonly kinds: AlertKind[];
  /**
   * The one account that it is about; null = all of the user, also later ones.
   */
  readonly account: string | null;
  /**
   * Margin ratios, percent: maintenance margin by account value of a pool. It is liquidated at 100.
   *
   * Items: A decimal number as text.
   */
  readonly margin_percents: string[];
  /**
   * Fall of the equity from its peak, percent.
   */
  readonly drawdown_percent: string;
  /**
   * A bot is silent after so long without a request of the API keys of an account.
   */
  readonly silent_minutes: number;
  /**
   * `unproven`: no chat has sent the code yet.
   */
  readonly status: 'unproven' | 'active' | 'paused';
  /**
   * `failing`: nothing has arrived there for a day, and ten tries were in vain.
   */
  readonly paused_by: AlertPause | null;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  readonly last_success_at: string | null;
  /**
   * Of a webhook: until then messages are signed by the secret before as well.
   */
  readonly old_secret_until: string | null;
  /**
   * Deliveries that wait for a try.
   */
  readonly waiting: number;
  /**
   * Dead letters: deliveries whose ten tries have failed.
   */
  readonly dead: number;
}
export interface AlertEndpointList {
  readonly endpoints: AlertEndpoint[];
}
export interface AlertEndpointMade {
  /**
   * Of a webhook. Signs the messages, as https://www.standardwebhooks.com says. It is shown this once.
   */
  readonly secret: string | null;
  /**
   * Of Telegram: how its user proves that a chat is theirs. Without it the endpoint is removed when the time is over.
   */
  readonly telegram: TelegramStart | null;
  readonly endpoint: AlertEndpoint;
}
export interface TelegramStart {
  /**
   * Send `/start CODE` to the bot. It is shown this once.
   */
  readonly code: string;
  /**
   * Name of the bot; null while this deployment has not learned it.
   */
  readonly bot: string | null;
  /**
   * Opens Telegram, and sends the code when its user presses Start.
   */
  readonly link: string | null;
  /**
   * ISO 8601, UTC.
   */
  readonly until: string;
}
export interface AlertEndpointWithSecret {
  /**
   * Signs the messages, as https://www.standardwebhooks.com says. It is shown this once.
   */
  readonly secret: string;
  readonly endpoint: AlertEndpoint;
}
export interface Analytics {
  readonly period: Period;
  /**
   * ISO 8601, UTC.
   */
  readonly from: string;
  /**
   * ISO 8601, UTC.
   */
  readonly to: string;
  /**
   * Set when there were more rows than one request reads: what lies before it may be missing in the sums.
   */
  readonly complete_since: string | null;
  readonly account_terms: AccountTerms;
  /**
   * Gross PnL less fees, plus funding, USD.
   */
  readonly net_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly gross_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fees: string;
  /**
   * > 0 = received.
   */
  readonly funding: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly volume: string;
  readonly fills: number;
  /**
   * Round trips that ended, from flat to flat; a flip ends one.
   */
  readonly trades: number;
  /**
   * Round trips that brought more than 0, net of fees and funding.
   */
  readonly wins: number;
  readonly losses: number;
  /**
   * A share; null without trades.
   */
  readonly win_rate: string | null;
  /**
   * What wins brought by what losses cost, net; null without losses.
   */
  readonly profit_factor: string | null;
  readonly average_win: string | null;
  readonly average_loss: string | null;
  /**
   * Mean net result of a round trip, USD.
   */
  readonly expectancy: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly largest_win: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly largest_loss: string;
  /**
   * Mean seconds from the first fill of a round trip to its last.
   */
  readonly average_hold: string | null;
  /**
   * Fills that close, or close part of, a position.
   */
  readonly fill_trades: number;
  /**
   * Of them those with an exact PnL above 0, before fees.
   */
  readonly fill_wins: number;
  readonly fill_losses: number;
  /**
   * A share; null without such fills.
   */
  readonly fill_win_rate: string | null;
  readonly fill_profit_factor: string | null;
  readonly fill_average_win: string | null;
  readonly fill_average_loss: string | null;
  readonly fill_expectancy: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fill_largest_win: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fill_largest_loss: string;
  readonly maker_share: string | null;
  /**
   * What taking cost beyond the mid, USD.
   */
  readonly slippage: string;
  readonly slippage_bps: string | null;
  /**
   * A share of the peak.
   */
  readonly max_drawdown: string;
  readonly sharpe_ratio: string | null;
  readonly sortino_ratio: string | null;
  /**
   * Seconds with a position open.
   */
  readonly exposure_time: number;
  readonly exposure_share: string | null;
  readonly long: TradeFigures;
  readonly short: TradeFigures;
  readonly by_coin: CoinFigures[];
}
export interface TradeFigures {
  /**
   * Gross PnL less fees, plus funding, USD.
   */
  readonly net_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly gross_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fees: string;
  /**
   * > 0 = received.
   */
  readonly funding: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly volume: string;
  readonly fills: number;
  /**
   * Round trips that ended, from flat to flat; a flip ends one.
   */
  readonly trades: number;
  /**
   * Round trips that brought more than 0, net of fees and funding.
   */
  readonly wins: number;
  readonly losses: number;
  /**
   * A share; null without trades.
   */
  readonly win_rate: string | null;
  /**
   * What wins brought by what losses cost, net; null without losses.
   */
  readonly profit_factor: string | null;
  readonly average_win: string | null;
  readonly average_loss: string | null;
  /**
   * Mean net result of a round trip, USD.
   */
  readonly expectancy: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly largest_win: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly largest_loss: string;
  /**
   * Mean seconds from the first fill of a round trip to its last.
   */
  readonly average_hold: string | null;
  /**
   * Fills that close, or close part of, a position.
   */
  readonly fill_trades: number;
  /**
   * Of them those with an exact PnL above 0, before fees.
   */
  readonly fill_wins: number;
  readonly fill_losses: number;
  /**
   * A share; null without such fills.
   */
  readonly fill_win_rate: string | null;
  readonly fill_profit_factor: string | null;
  readonly fill_average_win: string | null;
  readonly fill_average_loss: string | null;
  readonly fill_expectancy: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fill_largest_win: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fill_largest_loss: string;
  readonly maker_share: string | null;
  /**
   * What taking cost beyond the mid, USD.
   */
  readonly slippage: string;
  readonly slippage_bps: string | null;
}
export interface CoinFigures {
  /**
   * Name of a market.
   */
  readonly coin: string;
  /**
   * Gross PnL less fees, plus funding, USD.
   */
  readonly net_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly gross_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fees: string;
  /**
   * > 0 = received.
   */
  readonly funding: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly volume: string;
  readonly fills: number;
  /**
   * Round trips that ended, from flat to flat; a flip ends one.
   */
  readonly trades: number;
  /**
   * Round trips that brought more than 0, net of fees and funding.
   */
  readonly wins: number;
  readonly losses: number;
  /**
   * A share; null without trades.
   */
  readonly win_rate: string | null;
  /**
   * What wins brought by what losses cost, net; null without losses.
   */
  readonly profit_factor: string | null;
  readonly average_win: string | null;
  readonly average_loss: string | null;
  /**
   * Mean net result of a round trip, USD.
   */
  readonly expectancy: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly largest_win: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly largest_loss: string;
  /**
   * Mean seconds from the first fill of a round trip to its last.
   */
  readonly average_hold: string | null;
  /**
   * Fills that close, or close part of, a position.
   */
  readonly fill_trades: number;
  /**
   * Of them those with an exact PnL above 0, before fees.
   */
  readonly fill_wins: number;
  readonly fill_losses: number;
  /**
   * A share; null without such fills.
   */
  readonly fill_win_rate: string | null;
  readonly fill_profit_factor: string | null;
  readonly fill_average_win: string | null;
  readonly fill_average_loss: string | null;
  readonly fill_expectancy: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fill_largest_win: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fill_largest_loss: string;
  readonly maker_share: string | null;
  /**
   * What taking cost beyond the mid, USD.
   */
  readonly slippage: string;
  readonly slippage_bps: string | null;
}
export interface ApiKey {
  /**
   * Id of an API key.
   */
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  /**
   * `expired`: its time is over. It stays in the list until a new key needs its place.
   */
  readonly status: 'active' | 'expired';
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  readonly last_used_at: string | null;
  /**
   * The only account that the key reaches, whatever a request says; null: all accounts of the user.
   */
  readonly account: string | null;
  /**
   * Requests with it meet a failure lab.
   */
  readonly has_lab: boolean;
  /**
   * From then on the key is good for nothing; null = no end.
   */
  readonly expires_at: string | null;
  /**
   * What it may do: look (`read`), change the account (`trade`); of operators: `admin:read`, `admin:write`.
   */
  readonly scopes: KeyScope[];
  /**
   * Where it may be used from: addresses and networks; null = anywhere.
   */
  readonly addresses: string[] | null;
  /**
   * How far it may trade; null = as far as the account.
   */
  readonly trade_limits: TradeLimits | null;
}
export interface TradeLimits {
  readonly order_usd: string | null;
  readonly leverage: number | null;
  readonly daily_loss_usd: string | null;
  readonly orders_per_minute: number | null;
}
export interface ApiKeyList {
  readonly api_keys: ApiKey[];
}
export interface AuditEntry {
  readonly id: string;
  /**
   * ISO 8601, UTC.
   */
  readonly time: string;
  readonly action: string;
  /**
   * `user`, `key:<id>`, `operator`, `operator:<user id>`, `job:<name>`, `provider:<name>`, `several` for a count, …
   */
  readonly actor: string;
  /**
   * Network address the request came from.
   */
  readonly address: string | null;
  /**
   * The sub-account that it was about, or the account that the key is bound to; null = the master account, or none.
   */
  readonly account: string | null;
  readonly outcome: AuditOutcome;
  readonly detail: string | null;
}
export interface AuditPage {
  /**
   * Where the next page begins; null at the end.
   */
  readonly next_cursor: string | null;
  readonly items: AuditEntry[];
}
export interface Balance {
  readonly message: string;
  /**
   * As in the overview: account value less unrealized PnL, USD.
   */
  readonly balance: string;
  /**
   * What was deposited for that, USD; negative for money that was taken away.
   */
  readonly change: string;
}
export interface BrokenRule {
  readonly rule: HouseRuleName;
  readonly coin: string | null;
  /**
   * What was lost, USD, or the drawdown, percent.
   */
  readonly found: string | null;
  /**
   * ISO 8601, UTC.
   */
  readonly time: string;
}
export interface ElementError {
  /**
   * Why, in the venue’s words.
   */
  readonly error: string;
}
export interface CancelsAnswer {
  readonly status: 'ok';
  readonly response: CancelsResponse;
}
export interface CancelsResponse {
  readonly type: 'cancel';
  readonly data: CancelsData;
}
export interface CancelsData {
  readonly statuses: CancelResult[];
}
export interface ChildOrder {
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: Side;
  /**
   * A decimal number as text, always with a point.
   */
  readonly limitPx: string;
  /**
   * Left to fill, coins.
   */
  readonly sz: string;
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * When it was placed.
   */
  readonly timestamp: number;
  readonly triggerCondition: string;
  readonly isTrigger: boolean;
  /**
   * A decimal number as text, always with a point.
   */
  readonly triggerPx: string;
  readonly isPositionTpsl: boolean;
  readonly reduceOnly: boolean;
  readonly orderType: string;
  /**
   * As requested, coins.
   */
  readonly origSz: string;
  readonly tif: string | null;
  readonly cloid: string | null;
  readonly children: EmptyList;
}
export interface CoinFunding {
  /**
   * Name of a market.
   */
  readonly coin: string;
  /**
   * Signed size of the position; 0.0 = closed, its hours are owed.
   */
  readonly szi: string;
  /**
   * Of unpaid hours whose rate is known, USD; negative = paid by the account.
   */
  readonly pending: string;
  /**
   * Pending, and the hours up to the settlement at the rates and oracle prices of now, USD. Not promised.
   */
  readonly estimate: string;
  /**
   * Estimate of the running hour; null = the market was not heard of.
   */
  readonly fundingRate: string | null;
}
export interface CoinsRule {
  /**
   * Items: Name of a market.
   */
  readonly only: string[];
  readonly act: RuleAct;
}
export interface CommonEntry {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly address: string;
  readonly seq: number;
  /**
   * null: the entry is no longer kept.
   */
  readonly time: string | null;
}
export interface ComparedAccount {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly address: string;
  /**
   * null: the master account.
   */
  readonly name: string | null;
  /**
   * Newest entry.
   */
  readonly seq: number;
  readonly account_terms: AccountTerms;
  /**
   * Of a what-if.
   */
  readonly terms: WhatIfTerms | null;
  /**
   * Commands of its source that it has not had yet; null: it receives none.
   */
  readonly waiting: number | null;
  readonly curve: EquityCurve;
}
export interface EquityCurve {
  /**
   * Set when there were more notes than one request reads: the curve begins there.
   */
  readonly complete_since: string | null;
  /**
   * @maxItems 1000
   */
  readonly points: EquityPoint[];
}
export interface EquityPoint {
  /**
   * ISO 8601, UTC.
   */
  readonly time: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly equity: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly balance: string;
  /**
   * Deposits less withdrawals up to then: no gain of trading.
   */
  readonly net_deposits: string;
}
export interface ComparedBefore {
  readonly account: ComparedFact | null;
  readonly with: ComparedFact | null;
}
export interface ComparedFact {
  /**
   * Of the account whose journal has it: of one before a fork, an account that it began from.
   */
  readonly address: string;
  /**
   * Journal entry.
   */
  readonly seq: number;
  /**
   * ISO 8601, UTC.
   */
  readonly time: string;
  /**
   * What happened, in words and numbers.
   */
  readonly text: string;
  /**
   * Number of the command of the source that it is of; null: of a market event, or of a command here alone.
   */
  readonly command: number | null;
  /**
   * Latency that the command met here, by the terms.
   */
  readonly waited_ms: number | null;
  readonly oid: number | null;
  /**
   * After the newest entry up to then that changed it, USD.
   */
  readonly account_value: string | null;
  /**
   * The fill with its evidence, as `explainFill` has it.
   */
  readonly fill: ExplainedFill | null;
}
export interface ExplainedFill {
  readonly fill: Fill;
  readonly evidence: Evidence;
}
export interface Fill {
  /**
   * Name of a market.
   */
  readonly coin: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly px: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly sz: string;
  readonly side: Side;
  /**
   * Milliseconds since the Unix epoch.
   */
  readonly time: number;
  /**
   * Signed position before the fill, coins.
   */
  readonly startPosition: string;
  readonly dir: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly closedPnl: string;
  /**
   * A transaction hash; there is no chain here, so all zeros but for what the venue reports.
   */
  readonly hash: string;
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * True for a taker.
   */
  readonly crossed: boolean;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fee: string;
  /**
   * Id of an execution.
   */
  readonly tid: number;
  readonly feeToken: string;
  readonly twapId: null;
  /**
   * The client’s own id of an order, in lower case.
   */
  readonly cloid?: string;
  readonly liquidation?: FillLiquidation;
}
export interface FillLiquidation {
  readonly liquidatedUser?: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly markPx: string;
  readonly method: string;
}
export interface Evidence {
  readonly source: FillSource;
  readonly text: string;
  /**
   * The book that gave the fill.
   */
  readonly book: EvidenceBook | null;
  /**
   * The public trade that reached the order.
   */
  readonly trade: EvidenceTrade | null;
  /**
   * Coins before the order, or `unknown`.
   */
  readonly queueAhead: string | null;
  /**
   * By which the resting order filled (rule 3.6); null: it did not rest.
   */
  readonly fillModel: FillModel | null;
  readonly twapId: number | null;
  readonly trigger: EvidenceTrigger | null;
}
export interface EvidenceBook {
  /**
   * Milliseconds since the Unix epoch.
   */
  readonly time: number;
  readonly version: number | null;
  readonly levels: EvidenceLevel[];
  /**
   * Of a fill beyond the displayed levels: where its bucket of the aggregated book begins, and the time of that book. The level is the bucket.
   */
  readonly beyond: EvidenceBucket | null;
}
export interface EvidenceLevel {
  /**
   * A decimal number as text, always with a point.
   */
  readonly px: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly displayedSz: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly consumedBefore: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly takenSz: string;
}
export interface EvidenceBucket {
  /**
   * A decimal number as text, always with a point.
   */
  readonly fromPx: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  readonly time: number;
}
export interface EvidenceTrade {
  readonly tid: number;
  readonly px: string | null;
  readonly sz: string | null;
  readonly time: number | null;
  readonly leftForOrder: string | null;
  readonly tick: string | null;
}
export interface EvidenceTrigger {
  /**
   * A decimal number as text, always with a point.
   */
  readonly triggerPx: string;
  readonly markPx: string | null;
}
export interface ComparedDifference {
  /**
   * Of the earlier of the two.
   */
  readonly time: string;
  /**
   * What the one has that the other has not, or has otherwise.
   */
  readonly what:
    | 'filled'
    | 'rested'
    | 'waits'
    | 'triggered'
    | 'resized'
    | 'ended'
    | 'liquidated'
    | 'closed'
    | 'twap'
    | 'funding'
    | 'money'
    | 'leverage'
    | 'margin'
    | 'rule'
    | 'reset'
    | 'lost';
  /**
   * Terms, or what docs/copies.md says of the others. `earlier`: it may follow from a difference before.
   */
  readonly why: 'fees' | 'leverage' | 'fill_model' | 'latency' | 'command' | 'own_money' | 'lost' | 'earlier' | 'moment';
  /**
   * Why, in words.
   */
  readonly text: string;
  readonly coin: string | null;
  /**
   * Null: it has nothing of the kind.
   */
  readonly account: ComparedFact | null;
  readonly with: ComparedFact | null;
  readonly stood: ComparedBefore1;
}
/**
 * The last of the same thing before it, which is the same in both; null: there is none.
 */
export interface ComparedBefore1 {
  readonly account: ComparedFact | null;
  readonly with: ComparedFact | null;
}
export interface Comparison {
  readonly account: ComparedAccount;
  readonly with: ComparedAccount;
  readonly common: CommonEntry1;
  /**
   * What is after it is compared.
   */
  readonly from: string;
  /**
   * `common`: at the entry that both have. `since`, as asked, and `kept`, as far back as is kept, leave out older orders.
   */
  readonly begins: 'common' | 'since' | 'kept';
  /**
   * What is up to it is compared.
   */
  readonly to: string;
  /**
   * Whether that is all that there is.
   */
  readonly complete: boolean;
  /**
   * `since` of the request that goes on; null: there is no more.
   */
  readonly next: string | null;
  readonly entries_read: number;
  /**
   * The first of each order or other thing, oldest first.
   */
  readonly differences: ComparedDifference[];
  /**
   * That were found and are not in the list.
   */
  readonly more_differences: number;
}
/**
 * The last entry that both have.
 */
export interface CommonEntry1 {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly address: string;
  readonly seq: number;
  /**
   * null: the entry is no longer kept.
   */
  readonly time: string | null;
}
export interface CumulativeFunding {
  /**
   * A decimal number as text, always with a point.
   */
  readonly allTime: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly sinceOpen: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly sinceChange: string;
}
export interface DailyLossRule {
  /**
   * A decimal number as text, always with a point.
   */
  readonly usd: string;
  readonly act: RuleAct;
}
export interface DayOfEquity {
  /**
   * A UTC day.
   */
  readonly day: string;
  /**
   * A decimal number as text.
   */
  readonly return: string;
  /**
   * Return from the beginning of the period to the end of the day.
   */
  readonly growth: string;
  /**
   * The deepest of the day, a share of the peak.
   */
  readonly drawdown: string;
  /**
   * Sharpe ratio of this day and those before it; null while there are too few.
   */
  readonly rolling_sharpe: string | null;
}
export interface DeadLetter {
  /**
   * `<shard>:<id>`.
   */
  readonly id: string;
  readonly account: string;
  /**
   * ISO 8601, UTC.
   */
  readonly parked_at: string;
  readonly reason: string;
  /**
   * Its type; null when this build cannot read it.
   */
  readonly command: string | null;
  readonly bytes: number;
}
export interface Discount {
  /**
   * A code of 1 to 64 letters, digits, _ or -.
   */
  readonly code: string;
  readonly kind: DiscountKind;
  /**
   * Whole percent as a number, or USD as text.
   */
  readonly value: number | string;
  /**
   * The first payment, or all.
   */
  readonly applies_to: 'first' | 'all';
  readonly expires_at: string | null;
}
export interface DiscountCode {
  readonly code: string;
  readonly kind: DiscountKind;
  /**
   * Percent, or USD with two decimals.
   */
  readonly value: string;
  /**
   * The first payment, or all.
   */
  readonly applies_to: 'first' | 'all';
  readonly uses: number;
  /**
   * Of the uses, those that no payment was made with yet.
   */
  readonly unspent: number;
  readonly uses_max: number;
  readonly expires_at: string | null;
}
export interface DivergenceAmount {
  /**
   * Positive = worse for the account, exact.
   */
  readonly usd: string;
  /**
   * Of the notional there times the scale, in basis points, half up after 4 decimals.
   */
  readonly bps: string;
}
export interface DivergenceCauses {
  readonly delay: DivergenceAmount1;
  readonly price: DivergenceAmount2;
  readonly missed: DivergenceAmount3;
  readonly partial: DivergenceAmount4;
  readonly fees: DivergenceAmount5;
}
/**
 * The touch when the fill was heard, less the price there: of orders at the market.
 */
export interface DivergenceAmount1 {
  /**
   * Positive = worse for the account, exact.
   */
  readonly usd: string;
  /**
   * Of the notional there times the scale, in basis points, half up after 4 decimals.
   */
  readonly bps: string;
}
/**
 * The price here less the touch; of a copy, less the price there.
 */
export interface DivergenceAmount2 {
  /**
   * Positive = worse for the account, exact.
   */
  readonly usd: string;
  /**
   * Of the notional there times the scale, in basis points, half up after 4 decimals.
   */
  readonly bps: string;
}
/**
 * The mark less the price there, of a fill of which nothing was filled here.
 */
export interface DivergenceAmount3 {
  /**
   * Positive = worse for the account, exact.
   */
  readonly usd: string;
  /**
   * Of the notional there times the scale, in basis points, half up after 4 decimals.
   */
  readonly bps: string;
}
/**
 * The same, of what was not filled of a fill that was filled in part.
 */
export interface DivergenceAmount4 {
  /**
   * Positive = worse for the account, exact.
   */
  readonly usd: string;
  /**
   * Of the notional there times the scale, in basis points, half up after 4 decimals.
   */
  readonly bps: string;
}
/**
 * The fee here less the fee there times the scale.
 */
export interface DivergenceAmount5 {
  /**
   * Positive = worse for the account, exact.
   */
  readonly usd: string;
  /**
   * Of the notional there times the scale, in basis points, half up after 4 decimals.
   */
  readonly bps: string;
}
export interface DivergenceFill {
  /**
   * Of the fill, at the venue.
   */
  readonly time: string;
  /**
   * When the account heard of it.
   */
  readonly heard: string;
  /**
   * Journal entry in which it did.
   */
  readonly seq: number;
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: TradeSide;
  readonly real: RealFill;
  /**
   * Its size times the scale: what would be the same here, exact.
   */
  readonly scaled_size: string;
  readonly ours: FillHere;
  /**
   * `copy`: its order had a copy here, which the market fills or not. `order`: an order at the market was sent. `both`: in part each.
   */
  readonly by: 'order' | 'copy' | 'both';
  /**
   * `waits`: a copy that is open may still fill it; that part counts nowhere yet. `unread`: its copy is of before what was read: it is in no sum.
   */
  readonly state: 'filled' | 'partial' | 'missed' | 'waits' | 'unread';
  /**
   * What an open copy may still fill.
   */
  readonly waiting_size: string;
  /**
   * Best price of the other side of the book here when it was heard; null: there was none.
   */
  readonly touch: string | null;
  /**
   * Mark here when it was heard; null: what was not filled counts 0.
   */
  readonly mark: string | null;
  /**
   * Why its order did nothing, where that is so.
   */
  readonly text: string | null;
  /**
   * They add up to the difference; null: unread.
   */
  readonly causes: DivergenceCauses | null;
  /**
   * All of it.
   */
  readonly difference: DivergenceAmount | null;
}
/**
 * As the venue told it, not scaled.
 */
export interface RealFill {
  /**
   * The venue’s number.
   */
  readonly tid: number;
  /**
   * The venue’s number of its order.
   */
  readonly oid: number;
  /**
   * A decimal number as text, always with a point.
   */
  readonly price: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly size: string;
  /**
   * Negative: the address received it.
   */
  readonly fee: string;
  readonly liquidity: Liquidity;
}
/**
 * What was filled here for it.
 */
export interface FillHere {
  /**
   * A decimal number as text, always with a point.
   */
  readonly size: string;
  /**
   * Prices times sizes, exact.
   */
  readonly usd: string;
  /**
   * Average, half up after 10 decimals; null: nothing was filled.
   */
  readonly price: string | null;
  /**
   * Shares of a fill’s fee are cut after 6 decimals and add up to it.
   */
  readonly fee: string;
}
export interface DivergenceReport {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly account: string;
  /**
   * Of the venue.
   */
  readonly address: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly scale: string;
  /**
   * In the order in which they were heard.
   */
  readonly fills: DivergenceFill[];
  readonly page: DivergenceSums;
  readonly total: DivergenceSums1;
  /**
   * Fills of copies for which no fill of the address has come from `from` to `to`.
   */
  readonly unclaimed_usd: string;
  /**
   * `whole`: with all that the account has done. `kept`: as far back as is kept. `since`: so far before `since` as a request may read.
   */
  readonly begins: 'whole' | 'kept' | 'since';
  /**
   * Time of the first entry that was read; null: there is none.
   */
  readonly from: string | null;
  /**
   * What was heard up to it is in `total`.
   */
  readonly to: string;
  /**
   * Whether `total` has all up to now.
   */
  readonly complete: boolean;
  /**
   * `since` of the request that goes on; null: there is no more.
   */
  readonly next: string | null;
  readonly entries_read: number;
  /**
   * Entries in between that count no more.
   */
  readonly entries_lost: number;
}
/**
 * Over these fills.
 */
export interface DivergenceSums {
  readonly fills: number;
  readonly states: DivergenceStates;
  /**
   * Notional there times the scale.
   */
  readonly usd: string;
  readonly causes: DivergenceCauses;
  readonly difference: DivergenceAmount;
}
/**
 * Fills by what became of them.
 */
export interface DivergenceStates {
  readonly filled: number;
  readonly partial: number;
  readonly missed: number;
  readonly waits: number;
  readonly unread: number;
}
/**
 * Over all fills that were heard from `from` to `to`.
 */
export interface DivergenceSums1 {
  readonly fills: number;
  readonly states: DivergenceStates;
  /**
   * Notional there times the scale.
   */
  readonly usd: string;
  readonly causes: DivergenceCauses;
  readonly difference: DivergenceAmount;
}
export interface DivergenceStates1 {
  readonly filled: number;
  readonly partial: number;
  readonly missed: number;
  readonly waits: number;
  readonly unread: number;
}
export interface DivergenceSums2 {
  readonly fills: number;
  readonly states: DivergenceStates;
  /**
   * Notional there times the scale.
   */
  readonly usd: string;
  readonly causes: DivergenceCauses;
  readonly difference: DivergenceAmount;
}
export interface DoneAnswer {
  readonly status: 'ok';
  readonly response: DoneResponse;
}
export interface DoneResponse {
  readonly type: 'default';
}
export interface Drawdown {
  /**
   * A share of the peak.
   */
  readonly depth: string;
  /**
   * When the equity was last at its peak.
   */
  readonly peak: string;
  /**
   * ISO 8601, UTC.
   */
  readonly deepest: string;
  /**
   * When it was at its peak again; null = not yet.
   */
  readonly recovered: string | null;
}
export interface DrawdownRule {
  /**
   * A decimal number as text.
   */
  readonly percent: string;
  readonly act: RuleAct;
}
export interface OrdersAnswer {
  readonly status: 'ok';
  readonly response: OrdersResponse;
}
export interface OrdersResponse {
  readonly type: 'order';
  readonly data: OrdersData;
}
export interface OrdersData {
  readonly statuses: OrderResult[];
}
/**
 * On the book.
 */
export interface OrderResting {
  readonly resting: RestingOrder;
}
export interface RestingOrder {
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * The client’s own id of an order, in lower case.
   */
  readonly cloid?: string;
}
/**
 * Filled, whole or in part.
 */
export interface OrderFilled {
  readonly filled: FilledOrder;
}
export interface FilledOrder {
  /**
   * Filled, coins; the rest, if any, is on the book or canceled.
   */
  readonly totalSz: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly avgPx: string;
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * The client’s own id of an order, in lower case.
   */
  readonly cloid?: string;
}
export interface RefusedAnswer {
  readonly status: 'err';
  /**
   * Why, in the venue’s words.
   */
  readonly response: string;
}
export interface DryRunAnswer {
  readonly status: 'ok';
  readonly response: DryRunResponse;
}
export interface DryRunResponse {
  readonly type: 'dryRun';
  readonly data: DryRunData;
}
export interface DryRunData {
  /**
   * What the action would be answered.
   */
  readonly answer: OrdersAnswer | CancelsAnswer | DoneAnswer | RefusedAnswer;
  /**
   * null where the action is refused before the account has looked at it.
   */
  readonly effect: DryRunEffect | null;
}
export interface DryRunEffect {
  /**
   * Journal entry of the account that it starts from.
   */
  readonly seq: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  readonly time: number;
  readonly executions: DryRunExecution[];
  /**
   * Orders that would come to rest on the book.
   */
  readonly resting: DryRunResting[];
  /**
   * Open orders that would end.
   */
  readonly ends: DryRunEnd[];
  /**
   * The action would end in a liquidation.
   */
  readonly liquidated: boolean;
  readonly before: DryRunFigures;
  readonly after: DryRunFigures;
  /**
   * The coins that the action names, and those whose position would change.
   */
  readonly coins: DryRunCoin[];
}
/**
 * All that one order would be filled at once.
 */
export interface DryRunExecution {
  /**
   * The next free id; it is not reserved.
   */
  readonly oid: number;
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: Side;
  /**
   * A decimal number as text, always with a point.
   */
  readonly sz: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly avgPx: string;
  /**
   * Price times size, USD.
   */
  readonly ntl: string;
  /**
   * As a taker, USD.
   */
  readonly fee: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly closedPnl: string;
  /**
   * From the middle of the book to the average price, hundredths of a percent, > 0 to the order’s disadvantage.
   */
  readonly slippageBps: string | null;
  readonly levels: DryRunLevel[];
}
export interface DryRunLevel {
  /**
   * A decimal number as text, always with a point.
   */
  readonly px: string;
  /**
   * What the book shows.
   */
  readonly displayedSz: string;
  /**
   * What of it the account has taken before and does not find again.
   */
  readonly consumedSz: string;
  /**
   * What the order would take.
   */
  readonly sz: string;
}
export interface DryRunResting {
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: Side;
  /**
   * A decimal number as text, always with a point.
   */
  readonly limitPx: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly sz: string;
  /**
   * When all of it has filled, USD.
   */
  readonly makerFee: string;
  /**
   * Coins before it at its price, or `unknown`.
   */
  readonly queueAhead: string;
}
export interface DryRunEnd {
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly status: string;
}
export interface DryRunFigures {
  /**
   * A decimal number as text, always with a point.
   */
  readonly accountValue: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly totalNtlPos: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly totalRawUsd: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly totalMarginUsed: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly crossMaintenanceMarginUsed: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly withdrawable: string;
  /**
   * What new orders may still use; negative when margin was lost.
   */
  readonly freeMargin: string;
}
export interface DryRunCoin {
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly leverage: DryRunLeverage;
  readonly before: Position | null;
  readonly after: Position | null;
  readonly markPx: string | null;
  readonly markTime: number | null;
  /**
   * Middle of the best bid and ask.
   */
  readonly midPx: string | null;
  readonly bookTime: number | null;
  readonly bookVersion: number | null;
  /**
   * How old the data is, where it is too old to trade on.
   */
  readonly stale: string | null;
}
/**
 * In force after.
 */
export interface DryRunLeverage {
  readonly type: 'cross' | 'isolated';
  readonly value: number;
}
export interface Position {
  /**
   * Name of a market.
   */
  readonly coin: string;
  /**
   * Signed size, coins; negative = short.
   */
  readonly szi: string;
  readonly leverage: Leverage;
  /**
   * A decimal number as text, always with a point.
   */
  readonly entryPx: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly positionValue: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly unrealizedPnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly returnOnEquity: string;
  readonly liquidationPx: string | null;
  /**
   * A decimal number as text, always with a point.
   */
  readonly marginUsed: string;
  readonly maxLeverage: number;
  readonly cumFunding: CumulativeFunding;
}
export interface DryRunLeverage1 {
  readonly type: 'cross' | 'isolated';
  readonly value: number;
}
export interface ExcursionFigures {
  /**
   * Those of `trades` whose excursions are known: the figures are of them.
   */
  readonly trades: number;
  readonly average_mfe: string | null;
  readonly average_mae: string | null;
  readonly average_mfe_share: string | null;
  readonly average_mae_share: string | null;
  readonly largest_mfe: string | null;
  readonly largest_mae: string | null;
}
export interface ExplainedFunding {
  /**
   * The next settlement.
   */
  readonly nextTime: number;
  /**
   * Of unpaid hours whose rate is known, USD; negative = paid by the account.
   */
  readonly pending: string;
  /**
   * Pending, and the hours up to the settlement at the rates and oracle prices of now, USD. Not promised.
   */
  readonly estimate: string;
  readonly coins: CoinFunding[];
}
export interface ExplainedOrder {
  readonly status: 'order';
  readonly order: OrderChange;
  /**
   * As asked for. `origSz` is less where a reduce-only order was cut to the position.
   */
  readonly requestedSz: string;
  readonly fills: ExplainedFill[];
  readonly open: WhyOpen | null;
  readonly ended: WhyEnded | null;
  /**
   * Draws of the failure lab of a key that concern it, in the order in which they came.
   */
  readonly lab: LabDraw[];
}
export interface OrderChange {
  readonly order: Order;
  /**
   * The venue’s name of an order status.
   */
  readonly status: string;
  /**
   * Since when.
   */
  readonly statusTimestamp: number;
}
export interface Order {
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly side: Side;
  /**
   * A decimal number as text, always with a point.
   */
  readonly limitPx: string;
  /**
   * Left to fill, coins.
   */
  readonly sz: string;
  /**
   * Id of an order.
   */
  readonly oid: number;
  /**
   * When it was placed.
   */
  readonly timestamp: number;
  readonly triggerCondition: string;
  readonly isTrigger: boolean;
  /**
   * A decimal number as text, always with a point.
   */
  readonly triggerPx: string;
  readonly isPositionTpsl: boolean;
  readonly reduceOnly: boolean;
  readonly orderType: string;
  /**
   * As requested, coins.
   */
  readonly origSz: string;
  readonly tif: string | null;
  readonly cloid: string | null;
  /**
   * Orders that wait for this one to fill.
   */
  readonly children: ChildOrder[];
}
export interface WhyOpen {
  readonly reason: OpenReason;
  readonly text: string;
  readonly queueAhead: string | null;
  /**
   * Under which it was accepted (rule 3.6); null: it does not rest.
   */
  readonly fillModel: FillModel | null;
  readonly acceptedTime: number | null;
  readonly acceptedTick: string | null;
  readonly oppositeAtLimit: OppositeAtLimit | null;
  readonly trigger: PendingTrigger | null;
  readonly bookTime: number | null;
  readonly bookVersion: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  readonly bbo: (string | null)[];
  readonly markPx: string | null;
}
export interface OppositeAtLimit {
  /**
   * A decimal number as text, always with a point.
   */
  readonly displayedSz: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly consumedBefore: string;
}
export interface PendingTrigger {
  /**
   * A decimal number as text, always with a point.
   */
  readonly triggerPx: string;
  readonly firesWhenMark: TriggerDirection;
  readonly parentOid: number | null;
}
export interface WhyEnded {
  readonly text: string;
  readonly gaveWayTo: number | null;
}
export interface LabDraw {
  /**
   * What the request did to the order, or tried to do.
   */
  readonly act: 'place' | 'modify' | 'cancel';
  /**
   * Id of an API key.
   */
  readonly keyId: string;
  /**
   * Of the request among those that the profile has drawn for, from 1 on.
   */
  readonly number: number;
  /**
   * When the request came.
   */
  readonly time: number;
  /**
   * In [0, 1): decides about faults.
   */
  readonly draw: number;
  readonly fault: LabFault | null;
  /**
   * How long the action waited in the account before it was decided.
   */
  readonly delayMs: number | null;
  /**
   * How long its answer was held back.
   */
  readonly answerMs: number | null;
  readonly script: LabOrderScript | null;
}
export interface LabOrderScript {
  /**
   * null: `partialFill` was drawn.
   */
  readonly cloidPrefix: string | null;
  /**
   * The draw of `partialFill`.
   */
  readonly draw: number | null;
  readonly refuse: string | null;
  readonly fillPercent: number | null;
  readonly fillAfterMs: number | null;
  readonly neverFill: boolean;
}
export interface FailedRun {
  readonly job: string;
  /**
   * ISO 8601, UTC.
   */
  readonly due_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly failed_at: string;
  readonly attempts: number;
  readonly reason: string;
}
export interface FeedAge {
  readonly newest_ms: number | null;
  readonly oldest_ms: number | null;
  readonly stale: number;
}
export interface FeedAges {
  readonly book: FeedAge;
  readonly context: FeedAge;
  readonly trades: FeedAge;
  readonly mids: FeedAge;
}
export interface FillHere1 {
  /**
   * A decimal number as text, always with a point.
   */
  readonly size: string;
  /**
   * Prices times sizes, exact.
   */
  readonly usd: string;
  /**
   * Average, half up after 10 decimals; null: nothing was filled.
   */
  readonly price: string | null;
  /**
   * Shares of a fill’s fee are cut after 6 decimals and add up to it.
   */
  readonly fee: string;
}
export interface FillPage {
  /**
   * Where the next page begins; null at the end.
   */
  readonly next_cursor: string | null;
  readonly items: AccountFill[];
}
export interface FundingDelta {
  readonly type: 'funding';
  /**
   * Name of a market.
   */
  readonly coin: string;
  /**
   * USD; negative = paid by the account.
   */
  readonly usdc: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly szi: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fundingRate: string;
  /**
   * Hours settled; null where each is settled by itself.
   */
  readonly nSamples: number | null;
}
export interface FundingPayment {
  /**
   * Milliseconds since the Unix epoch.
   */
  readonly time: number;
  /**
   * A transaction hash; there is no chain here, so all zeros but for what the venue reports.
   */
  readonly hash: string;
  readonly delta: FundingDelta;
}
export interface HaltedAccount {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly account: string;
  readonly shard: number;
  readonly reason: string;
  readonly since: string | null;
  readonly last_seq: number | null;
  /**
   * Entries that were set aside from the journal.
   */
  readonly set_aside_bytes: number;
}
export interface HaltedAccounts {
  /**
   * How many there are.
   */
  readonly count: number;
  readonly accounts: HaltedAccount[];
}
export interface Health {
  /**
   * degraded: orders are taken, something else is away. unavailable: no orders are taken.
   */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /**
   * The answer is made once a second.
   */
  readonly as_of: string;
  /**
   * Why it is not ok. accounts_starting: some accounts wait for a process. market_stale: prices are too old to trade on.
   */
  readonly causes: HealthCause[];
  /**
   * Of the contract.
   */
  readonly version: string;
  readonly market: MarketCondition;
}
export interface MarketCondition {
  readonly source: MarketSource;
  /**
   * Age of the newest book or mark, the older of both; null before they have come.
   */
  readonly age_ms: number | null;
}
export interface HealthReport {
  readonly status: HealthStatus;
  /**
   * Why it is not `ok`, in words.
   */
  readonly reasons: string[];
  /**
   * ISO 8601, UTC.
   */
  readonly as_of: string;
  /**
   * The process that reports.
   */
  readonly node_id: string;
  readonly redis: RedisCondition;
  readonly mongo: MongoCondition;
  readonly roles: RunningRoles;
  readonly market: MarketReport;
  readonly shards: ShardOwners;
}
export interface RedisCondition {
  readonly up: boolean;
}
export interface MongoCondition {
  readonly up: boolean;
  /**
   * Age of the oldest journal entry that MongoDB lacks though it is due.
   */
  readonly history_lag_ms: number | null;
}
export interface RunningRoles {
  readonly actors: ActorPod[];
  readonly market: MarketRole;
  readonly jobs: JobProcess[];
}
export interface MarketRole {
  readonly leader: string | null;
}
export interface JobProcess {
  readonly node_id: string;
  /**
   * ISO 8601, UTC.
   */
  readonly heartbeat: string;
}
export interface MarketReport {
  readonly source: MarketSource;
  readonly connected_since: string | null;
  readonly feeds: FeedAges;
}
export interface ShardOwners {
  readonly count: number;
  readonly ready: number;
  /**
   * Pod of each shard; null without a recovered owner.
   */
  readonly owners: (string | null)[];
}
export interface HoursRule {
  /**
   * UTC.
   */
  readonly from: string;
  /**
   * UTC.
   */
  readonly to: string;
  readonly act: RuleAct;
}
export interface HouseRules {
  readonly daily_loss: DailyLossRule | null;
  readonly drawdown: DrawdownRule | null;
  readonly hours: HoursRule | null;
  readonly coins: CoinsRule | null;
  /**
   * Lost since the UTC day began, negative = gained; null where the loss of a day is not limited.
   */
  readonly lost_usd: string | null;
  /**
   * How far it is below its highest value; null where that is not limited.
   */
  readonly drawdown_percent: string | null;
  /**
   * Oldest first. Until the next UTC day (`daily_loss`), the next turn of its hours, or until rules are set again.
   */
  readonly broken: BrokenRule[];
}
export interface Import {
  readonly message: string;
  /**
   * The sub-account.
   */
  readonly account: string;
  /**
   * Of the venue.
   */
  readonly address: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly scale: string;
  readonly dry_run: boolean;
  /**
   * The entry of the journal that has it; null after a dry run.
   */
  readonly seq: number | null;
  /**
   * The venue’s time of the positions.
   */
  readonly taken_at: string;
  /**
   * Of the address, times the scale.
   */
  readonly account_value: string;
  /**
   * That the account begins with: its account value less unrealized PnL. It counts as its deposit.
   */
  readonly balance: string;
  readonly positions: ImportedPosition[];
  readonly orders: ImportedOrder[];
  /**
   * What was not taken, each with the reason.
   */
  readonly left: LeftOut[];
}
export interface ImportedPosition {
  readonly coin: string;
  /**
   * Coins, long > 0: scaled, cut toward zero to whole lots.
   */
  readonly size: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly entry_price: string;
  /**
   * An integer.
   */
  readonly leverage: number;
  readonly margin_mode: MarginMode;
}
export interface ImportedOrder {
  /**
   * Its number here; null after a dry run.
   */
  readonly oid: number | null;
  /**
   * An integer.
   */
  readonly source_oid: number;
}
export interface LeftOut {
  readonly kind: LeftOutKind;
  readonly coin: string;
  /**
   * Of an order.
   */
  readonly source_oid: number | null;
  readonly reason: LeftOutReason;
  readonly text: string;
}
export interface Invoice {
  readonly id: string;
  readonly status: InvoiceStatus;
  readonly plan: PlanName;
  readonly period: BillingPeriod;
  /**
   * USD with two decimals.
   */
  readonly amount_usd: string;
  /**
   * USD with two decimals.
   */
  readonly discount_usd: string;
  /**
   * Where an open invoice is paid; null while the provider has not said, and when it is over.
   */
  readonly pay_url: string | null;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly expires_at: string;
  readonly paid_at: string | null;
}
export interface InvoicePage {
  /**
   * Where the next page begins; null at the end.
   */
  readonly next_cursor: string | null;
  readonly items: Invoice[];
}
export interface Job {
  readonly job: string;
  readonly every_ms: number;
  readonly next_run: string | null;
}
export interface JobQueues {
  readonly workers: string[];
  readonly counts: RunCounts;
  readonly jobs: Job[];
  readonly dead_letters: FailedRun[];
}
export interface RunCounts {
  readonly active: number;
  readonly waiting: number;
  readonly delayed: number;
  readonly failed: number;
}
export interface LabDraws {
  readonly exchange: number;
  readonly info: number;
}
/**
 * An object of probabilities of 429, 500, 502, timeoutBefore, timeoutAfterEffect, dropSocket, duplicateAnswer and partialFill.
 */
export interface LabFaults {
  /**
   * A number from 0 to 1.
   */
  readonly '429'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly '500'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly '502'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly timeoutBefore?: number;
  /**
   * A number from 0 to 1.
   */
  readonly timeoutAfterEffect?: number;
  /**
   * A number from 0 to 1.
   */
  readonly dropSocket?: number;
  /**
   * A number from 0 to 1.
   */
  readonly duplicateAnswer?: number;
  /**
   * A number from 0 to 1.
   */
  readonly partialFill?: number;
}
/**
 * An object with freeze and delay.
 */
export interface LabFeed {
  /**
   * It stands still.
   */
  readonly freeze?: true;
  /**
   * It is so late, ms.
   */
  readonly delay?: number;
}
/**
 * An object with submit, cancel, answer and stream.
 */
export interface LabLatency {
  /**
   * Orders and modifies wait in the account for so long before they are decided.
   */
  readonly submit?: number | LabLogNormal;
  /**
   * Cancels do; one may come too late.
   */
  readonly cancel?: number | LabLogNormal;
  /**
   * Answers are held back for so long.
   */
  readonly answer?: number | LabLogNormal;
  /**
   * Messages of WebSockets come so late, in their order.
   */
  readonly stream?: number | LabLogNormal;
}
export interface LabPreset {
  readonly name: LabPresetName;
  readonly about: string;
  readonly profile: LabSettings;
}
/**
 * An object of seed, latency, faults, feed, nonces, postOnly, timeoutMs, scripts, schedule.
 */
export interface LabSettings {
  /**
   * Same seed, same requests, same market: the same faults.
   */
  readonly seed?: number;
  readonly latency?: LabLatency;
  readonly faults?: LabFaults1;
  readonly feed?: LabFeed1;
  /**
   * The venue’s rule of nonces: new, above the least of the 100 highest, two days old at most, one ahead.
   */
  readonly nonces?: 'strict';
  /**
   * Only post-only orders are taken, as after an upgrade of the venue.
   */
  readonly postOnly?: true;
  /**
   * A request without an answer is held for so long; then its connection is closed.
   */
  readonly timeoutMs?: number;
  /**
   * The first whose prefix an order’s cloid has counts.
   *
   * @maxItems 20
   */
  readonly scripts?: LabScript[];
  /**
   * When it is in force; absent: always.
   *
   * @minItems 1
   * @maxItems 20
   */
  readonly schedule?: LabWindow[];
}
/**
 * One draw decides which of them a request meets; they come to 1 at most, `partialFill` apart.
 */
export interface LabFaults1 {
  /**
   * A number from 0 to 1.
   */
  readonly '429'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly '500'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly '502'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly timeoutBefore?: number;
  /**
   * A number from 0 to 1.
   */
  readonly timeoutAfterEffect?: number;
  /**
   * A number from 0 to 1.
   */
  readonly dropSocket?: number;
  /**
   * A number from 0 to 1.
   */
  readonly duplicateAnswer?: number;
  /**
   * A number from 0 to 1.
   */
  readonly partialFill?: number;
}
/**
 * The market’s data as the key sees it; orders are decided on the true book.
 */
export interface LabFeed1 {
  /**
   * It stands still.
   */
  readonly freeze?: true;
  /**
   * It is so late, ms.
   */
  readonly delay?: number;
}
/**
 * An object with cloidPrefix and what becomes of the order. Must have one of refuse, fillPercent, fillAfterMs, neverFill, or loseAnswer alone.
 */
export interface LabScript {
  /**
   * 0x and 1 to 32 hex digits in lower case.
   */
  readonly cloidPrefix: string;
  /**
   * Refused with the venue’s words for this reason.
   */
  readonly refuse?:
    | 'postOnlyAfterUpgrade'
    | 'halted'
    | 'invalidSize'
    | 'priceOffTick'
    | 'invalidPrice'
    | 'reduceOnlyWouldIncrease'
    | 'valueTooSmall'
    | 'nothingToMatch'
    | 'noLiquidity'
    | 'openInterestIncrease'
    | 'tierLimit'
    | 'insufficientMargin'
    | 'tooManyOpenOrders';
  /**
   * At once it fills no more of its size.
   */
  readonly fillPercent?: number;
  /**
   * It rests for so long before anything may fill it.
   */
  readonly fillAfterMs?: number;
  /**
   * It rests, and nothing ever fills it.
   */
  readonly neverFill?: true;
  /**
   * The action has its effect, and no answer.
   */
  readonly loseAnswer?: true;
}
/**
 * An object with from, forMs and perhaps everyMs.
 */
export interface LabWindow {
  /**
   * An ISO 8601 time such as 2026-11-21T12:00:00.000Z.
   */
  readonly from: string;
  /**
   * A whole number from 1 to 31622400000.
   */
  readonly forMs: number;
  /**
   * A whole number from 1 to 31622400000.
   */
  readonly everyMs?: number;
}
/**
 * An object of seed, latency, faults, feed, nonces, postOnly, timeoutMs, scripts, schedule.
 */
export interface LabProfile {
  /**
   * Same seed, same requests, same market: the same faults.
   */
  readonly seed: number;
  readonly latency?: LabLatency;
  readonly faults?: LabFaults2;
  readonly feed?: LabFeed2;
  /**
   * The venue’s rule of nonces: new, above the least of the 100 highest, two days old at most, one ahead.
   */
  readonly nonces?: 'strict';
  /**
   * Only post-only orders are taken, as after an upgrade of the venue.
   */
  readonly postOnly?: true;
  /**
   * A request without an answer is held for so long; then its connection is closed.
   */
  readonly timeoutMs: number;
  /**
   * The first whose prefix an order’s cloid has counts.
   *
   * @maxItems 20
   */
  readonly scripts?: LabScript[];
  /**
   * When it is in force; absent: always.
   *
   * @minItems 1
   * @maxItems 20
   */
  readonly schedule?: LabWindow[];
}
/**
 * One draw decides which of them a request meets; they come to 1 at most, `partialFill` apart.
 */
export interface LabFaults2 {
  /**
   * A number from 0 to 1.
   */
  readonly '429'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly '500'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly '502'?: number;
  /**
   * A number from 0 to 1.
   */
  readonly timeoutBefore?: number;
  /**
   * A number from 0 to 1.
   */
  readonly timeoutAfterEffect?: number;
  /**
   * A number from 0 to 1.
   */
  readonly dropSocket?: number;
  /**
   * A number from 0 to 1.
   */
  readonly duplicateAnswer?: number;
  /**
   * A number from 0 to 1.
   */
  readonly partialFill?: number;
}
/**
 * The market’s data as the key sees it; orders are decided on the true book.
 */
export interface LabFeed2 {
  /**
   * It stands still.
   */
  readonly freeze?: true;
  /**
   * It is so late, ms.
   */
  readonly delay?: number;
}
export interface LoudAccount {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly account: string;
  readonly busy: number;
  readonly times: number;
}
export interface Mirror {
  /**
   * The sub-account.
   */
  readonly account: string;
  /**
   * Of the venue.
   */
  readonly address: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly scale: string;
  /**
   * `starting`: the account has not begun to follow; the service goes on with it by itself.
   */
  readonly state: 'starting' | 'following';
  /**
   * Fills of the address count from this time of the venue on.
   */
  readonly since: string;
  /**
   * The newest fill of the address that the account has heard of, or `since`; null while it starts.
   */
  readonly through: string | null;
  /**
   * Whether the connection is open on which the venue tells of the address. False within MARKET_LEASE_TTL_MS after the node that has it died.
   */
  readonly connected: boolean;
  /**
   * Since when; null: it is not open.
   */
  readonly connected_since: string | null;
  /**
   * When the venue was last heard on it, up to a third of MARKET_LEASE_TTL_MS late; null: never, or more than a day ago.
   */
  readonly heard: string | null;
  /**
   * What was missed before the connection opened has been made up for.
   */
  readonly caught_up: boolean;
  /**
   * Open orders of the address that have a copy here, or had one that is over already.
   */
  readonly copies: number;
}
export interface MonthOfEquity {
  /**
   * A month of UTC.
   */
  readonly month: string;
  /**
   * Returns of its days, chained.
   */
  readonly return: string;
  /**
   * USD; deposits are none.
   */
  readonly gain: string;
  /**
   * At its end, or now.
   */
  readonly equity: string;
}
export interface NewApiKey {
  /**
   * For the header `X-API-Key`, or the path.
   */
  readonly api_key: string;
  /**
   * Id of an API key.
   */
  readonly id: string;
  readonly name: string;
  /**
   * The only account that the key reaches, whatever a request says; null: all accounts of the user.
   */
  readonly account: string | null;
  /**
   * From then on the key is good for nothing; null = no end.
   */
  readonly expires_at: string | null;
  /**
   * What it may do: look (`read`), change the account (`trade`); of operators: `admin:read`, `admin:write`.
   */
  readonly scopes: KeyScope[];
  /**
   * Where it may be used from: addresses and networks; null = anywhere.
   */
  readonly addresses: string[] | null;
  /**
   * How far it may trade; null = as far as the account.
   */
  readonly trade_limits: TradeLimits | null;
  readonly message: string;
}
export interface OperatorApiKey {
  /**
   * Id of an API key.
   */
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly account: string | null;
  readonly last_used_at: string | null;
}
export interface OperatorInvoice {
  readonly id: string;
  /**
   * Id of a user.
   */
  readonly user_id: string;
  readonly status: InvoiceStatus;
  readonly plan: PlanName;
  readonly period: BillingPeriod;
  /**
   * USD with two decimals.
   */
  readonly amount_usd: string;
  /**
   * USD with two decimals.
   */
  readonly discount_usd: string;
  readonly discount_code: string | null;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly expires_at: string;
  readonly paid_at: string | null;
}
export interface OperatorOverview {
  readonly health: HealthReport;
  /**
   * Whether /admin/queues shows the jobs as a page.
   */
  readonly job_board: boolean;
}
export interface OperatorSession {
  /**
   * Id of a session.
   */
  readonly id: string;
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly last_used_at: string;
  readonly address: string;
  readonly agent: string;
}
export interface OperatorUser {
  /**
   * Id of a user.
   */
  readonly id: string;
  readonly email: string;
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly address: string;
  readonly plan: PlanName;
  readonly status: SubscriptionStatus;
  readonly roles: GrantedRole[];
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly trial_expires_at: string;
  readonly subscription_expires_at: string | null;
}
export interface OperatorUserDetails {
  /**
   * Id of a user.
   */
  readonly id: string;
  readonly email: string;
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly address: string;
  readonly plan: PlanName;
  readonly status: SubscriptionStatus;
  readonly roles: GrantedRole[];
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
  /**
   * ISO 8601, UTC.
   */
  readonly trial_expires_at: string;
  readonly subscription_expires_at: string | null;
  /**
   * Addresses of sub-accounts that may exist.
   *
   * Items: An address: 0x and 40 hex digits in lower case.
   */
  readonly sub_accounts: string[];
  readonly expired_at: string | null;
  readonly closed_at: string | null;
  readonly email_verified: boolean;
  readonly second_factor: boolean;
  readonly api_keys: OperatorApiKey[];
  readonly sessions: OperatorSession[];
}
export interface OrderPage {
  /**
   * Where the next page begins; null at the end.
   */
  readonly next_cursor: string | null;
  readonly items: AccountOrder[];
}
export interface Overview {
  /**
   * A decimal number as text, always with a point.
   */
  readonly account_value: string;
  /**
   * Account value less unrealized PnL.
   */
  readonly balance: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly margin_used: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly withdrawable: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly unrealized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly realized_pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fees_paid: string;
  /**
   * > 0 = paid by the account.
   */
  readonly funding_paid: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly net_deposits: string;
  readonly open_orders: number;
  readonly positions: AccountPosition[];
  readonly account_terms: AccountTerms;
  readonly plan: PlanName;
  /**
   * ISO 8601, UTC.
   */
  readonly as_of: string;
}
/**
 * An object with maker and taker.
 */
export interface OwnFees1 {
  /**
   * Fraction of the notional, of orders that rested; negative = the account gets it.
   */
  readonly maker: string;
  /**
   * Of orders that crossed.
   */
  readonly taker: string;
}
export interface Plan {
  readonly id: PlanName;
  /**
   * USD with two decimals.
   */
  readonly price_usd: string;
  readonly period: 'month';
  readonly requests_per_minute: number;
  readonly max_api_keys: number;
  /**
   * USD with two decimals.
   */
  readonly balance_usd: string;
  readonly history_days: number;
}
export interface PlanList {
  readonly plans: Plan[];
}
export interface Profile {
  /**
   * Id of a user.
   */
  readonly id: string;
  readonly email: string;
  /**
   * A link in a mail to the address was opened.
   */
  readonly email_verified: boolean;
  readonly plan: PlanName;
  /**
   * Address of the trading account.
   */
  readonly address: string;
  readonly subscription_status: SubscriptionStatus;
  /**
   * ISO 8601, UTC.
   */
  readonly trial_expires_at: string;
  readonly subscription_expires_at: string | null;
  /**
   * From then on the account is read only, unless something is paid: with the grace after paid time.
   */
  readonly trading_ends_at: string;
  readonly payment_required: boolean;
  /**
   * What the user may do beside being one.
   */
  readonly roles: GrantedRole[];
  /**
   * ISO 8601, UTC.
   */
  readonly created_at: string;
}
export interface RealFill1 {
  /**
   * The venue’s number.
   */
  readonly tid: number;
  /**
   * The venue’s number of its order.
   */
  readonly oid: number;
  /**
   * A decimal number as text, always with a point.
   */
  readonly price: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly size: string;
  /**
   * Negative: the address received it.
   */
  readonly fee: string;
  readonly liquidity: Liquidity;
}
export interface RecoveryCodes {
  /**
   * Each is good once, in place of a code of the authenticator.
   */
  readonly recovery_codes: string[];
  readonly message: string;
}
export interface RoundTrip {
  /**
   * Name of a market.
   */
  readonly coin: string;
  readonly direction: PositionSide;
  /**
   * Its first fill; of an import: when the position was taken over.
   */
  readonly opened: string;
  /**
   * ISO 8601, UTC.
   */
  readonly closed: string;
  /**
   * False: it began before the history that is kept, in a fork’s source or at an imported address; its sums are those that are known here.
   */
  readonly whole: boolean;
  readonly fills: number;
  /**
   * Largest size held, coins.
   */
  readonly size: string;
  /**
   * Mean price of its opening fills.
   */
  readonly entry_price: string;
  /**
   * Mean price at which it was closed.
   */
  readonly exit_price: string;
  /**
   * Of closing, before fees and funding, USD.
   */
  readonly pnl: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly fees: string;
  /**
   * Paid while it was open; > 0 = received.
   */
  readonly funding: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly net_pnl: string;
  /**
   * The fill that ended it.
   */
  readonly tid: number;
  /**
   * Direction of that fill.
   */
  readonly ended_by: string;
  /**
   * Maximum favorable excursion: the best result on its way, before fees and funding, USD; at least 0. null: see `excursion_missing`.
   */
  readonly mfe: string | null;
  /**
   * Maximum adverse excursion: the worst result on its way; at most 0.
   */
  readonly mae: string | null;
  /**
   * `mfe` by the notional of its opening fills.
   */
  readonly mfe_share: string | null;
  readonly mae_share: string | null;
  /**
   * Length of the candles between its fills whose prices were seen; `fills`: none lay between them, so the prices of its fills alone.
   */
  readonly resolution: ExcursionResolution | null;
  /**
   * Why it has no excursion; `later`: not worked out yet, see `excursions_again`.
   */
  readonly excursion_missing: ExcursionMissing | null;
}
export interface SecondFactor {
  readonly enabled: boolean;
  readonly enabled_at: string | null;
  readonly recovery_codes_left: number;
}
export interface Session {
  /**
   * Id of a session.
   */
  readonly id: string;
  /**
   * When the user logged in.
   */
  readonly created_at: string;
  /**
   * Up to a minute old.
   */
  readonly last_used_at: string;
  /**
   * When it ends unless it is used or refreshed until then: without a cookie with its last token at the latest.
   */
  readonly expires_at: string;
  /**
   * Network address of the login or of the last refresh.
   */
  readonly address: string;
  /**
   * What the client called itself then.
   */
  readonly agent: string;
  /**
   * Whether the request came with a token of this session.
   */
  readonly current: boolean;
}
export interface SessionList {
  readonly sessions: Session[];
}
export interface Shard {
  readonly shard: number;
  readonly owner: string | null;
  /**
   * Of the lease; 0 = no pod has it.
   */
  readonly epoch: number;
  /**
   * The pod to which an operator has moved it.
   */
  readonly moved_to: string | null;
  /**
   * Null when its owner has not said yet.
   */
  readonly load: ShardLoad | null;
  readonly accounts: number;
  /**
   * Accounts with commands that wait.
   */
  readonly waiting: number;
  readonly mailbox_bytes: number;
  /**
   * Commits that MongoDB or the archive may lack.
   */
  readonly journal: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly halted: number;
}
export interface ShardLoad {
  /**
   * How long it was counted.
   */
  readonly seconds: number;
  /**
   * Part of the owner’s one thread, 0 to 1.
   */
  readonly busy: number;
  /**
   * A second.
   */
  readonly commands: number;
  readonly journalBytes: number;
  /**
   * The accounts that took most of it.
   */
  readonly top: LoudAccount[];
}
export interface ShardList {
  readonly shards: Shard[];
}
export interface ShownLab {
  /**
   * Id of an API key.
   */
  readonly id: string;
  readonly profile: LabProfile | null;
  readonly draws: LabDraws1;
  readonly presets: LabPreset[];
}
/**
 * How many requests it has drawn for since it was set.
 */
export interface LabDraws1 {
  readonly exchange: number;
  readonly info: number;
}
export interface Subscription {
  readonly plan: PlanName;
  readonly status: SubscriptionStatus;
  /**
   * ISO 8601, UTC.
   */
  readonly trial_expires_at: string;
  readonly current_period_end: string | null;
  readonly cancel_at_period_end: boolean;
}
export interface Tearsheet {
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly account: string;
  /**
   * Of a sub-account; null: the master account, or asked with a key that is bound to one.
   */
  readonly name: string | null;
  readonly figures: Analytics;
  /**
   * Oldest first; of more than 120 the newest.
   *
   * @maxItems 120
   */
  readonly months: MonthOfEquity[];
  /**
   * The deepest falls, deepest first.
   *
   * @maxItems 5
   */
  readonly drawdowns: Drawdown[];
  /**
   * Daily returns in each `rolling_sharpe`.
   */
  readonly rolling_days: number;
  /**
   * Oldest first; of more than 750 the newest.
   *
   * @maxItems 750
   */
  readonly days: DayOfEquity[];
  /**
   * The newest round trips that ended, newest first.
   *
   * @maxItems 200
   */
  readonly trades: RoundTrip[];
  readonly excursions: ExcursionFigures;
  /**
   * When excursions that are missing for now (`later`) may be asked for; null: none are.
   */
  readonly excursions_again: string | null;
}
export interface TotpSecret {
  /**
   * In base32.
   */
  readonly secret: string;
  /**
   * The same for a QR code.
   */
  readonly uri: string;
}
export interface TwapChange {
  /**
   * SECONDS since the Unix epoch.
   */
  readonly time: number;
  readonly state: TwapState;
  readonly status: TwapFailure | TwapStatus;
  readonly twapId: number;
}
export interface TwapState {
  /**
   * Name of a market.
   */
  readonly coin: string;
  /**
   * An address: 0x and 40 hex digits in lower case.
   */
  readonly user: string;
  readonly side: Side;
  /**
   * A decimal number as text, always with a point.
   */
  readonly sz: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly executedSz: string;
  /**
   * A decimal number as text, always with a point.
   */
  readonly executedNtl: string;
  readonly minutes: number;
  readonly reduceOnly: boolean;
  readonly randomize: boolean;
  /**
   * When it began.
   */
  readonly timestamp: number;
  /**
   * The mark that starts it, or has.
   */
  readonly trigger: TwapTrigger | null;
  /**
   * The mark that ends it: a maximum for a buy, a minimum for a sell.
   */
  readonly stopPx: string | null;
}
export interface TwapTrigger {
  /**
   * A decimal number as text, always with a point.
   */
  readonly px: string;
  readonly above: boolean;
}
export interface TwapFailure {
  readonly description: string;
  readonly status: 'error';
}
export interface TwapStatus {
  readonly status: TwapStatusName;
}
export interface TwapSliceFill {
  readonly fill: Fill;
  readonly twapId: number;
}
/**
 * An object with submit and cancel.
 */
export interface WhatIfLatency1 {
  /**
   * Of draws; 1 without it.
   */
  readonly seed?: number;
  /**
   * Orders and modifies wait in the account for so long before they are decided.
   */
  readonly submit?: number | LabLogNormal;
  /**
   * Cancels do; one may come too late.
   */
  readonly cancel?: number | LabLogNormal;
}
