// What alerts say where a person reads them, in a mail or a chat: a line for each, made of the message that a webhook gets. ASCII alone, so
// that no name of a coin or an address can write lines of its own into a mail.
import type { MessageType } from '../../shared/domain/alerts/alertKinds.ts';

/** Of a line in a mail (RFC 5322 has 998). */
const LINE_CHARS_MAX = 900;

type Data = Readonly<Record<string, unknown>>;

interface Message {
  readonly type: MessageType;
  readonly timestamp: string;
  readonly data: Data;
}

const SAYS: Readonly<Record<MessageType, (data: Data) => string>> = {
  fill: (d) =>
    `${d['side'] === 'buy' ? 'bought' : 'sold'} ${d['size']} ${d['coin']} at ${d['price']} (${d['direction']}, ${d['liquidity']}, fee ${d['fee']}, closed PnL ${d['closed_pnl']}), order ${d['oid']}, fill ${d['tid']}`,
  order_ended: (d) =>
    `order ${d['oid']} ended: ${d['status']}. ${d['side']} ${d['filled_size']} of ${d['size']} ${d['coin']}, limit ${d['limit_price']}`,
  liquidation: (d) =>
    `liquidation ${d['lid']} (${d['margin_mode']}): account value ${d['account_value']} USD, positions of ${d['notional']} USD: ${positionsOf(d)}`,
  margin: (d) =>
    `margin ratio ${ratioOf(d)}, threshold ${d['percent']} % (${d['coin'] ?? d['margin_mode']}): account value ${d['account_value']} USD, maintenance margin ${d['maintenance_margin']} USD`,
  drawdown: (d) =>
    `drawdown ${d['drawdown_percent']} %, threshold ${d['percent']} %: account value ${d['account_value']} USD, peak ${d['peak']} USD`,
  house_rule: (d) => `house rule ${d['rule']} is broken (${d['act']})${part(' in ', d['coin'])}${part(': ', d['found'])}`,
  bot_silent: (d) => `no request of the bot for ${d['minutes']} minutes; the last one at ${d['last_request_at']}`,
  trial_end: (d) => `the ${d['of']} ${d['stage'] === 'over' ? 'has ended' : 'ends'} at ${d['ends_at']}`,
  new_key: (d) => `a new API key: ${d['key_id']}, from ${d['address']}`,
  new_device: (d) => `a login from a new device or network: ${d['address']}`,
  test: (d) => `a test of the endpoint ${d['endpoint']}`,
};

/** A line of each. @param charsMax of a line; what is longer ends in `...` */
export const alertLines = (bodies: readonly string[], charsMax: number): string[] =>
  bodies.map((body) => shortened(lineOf(JSON.parse(body) as Message), charsMax));

/** The subject and the text of a mail. @param link where the user changes what is sent */
export function alertMail(bodies: readonly string[], link: string): { readonly subject: string; readonly text: string } {
  const messages = bodies.map((body) => JSON.parse(body) as Message);
  const types = [...new Set(messages.map(({ type }) => type.replaceAll('_', ' ')))];
  const count = messages.length === 1 ? 'Alert' : `${messages.length} alerts`;
  const lines = messages.map((message) => shortened(lineOf(message), LINE_CHARS_MAX));
  return { subject: `${count}: ${types.join(', ')}`, text: [...lines, '', `What you are told of: ${link}`].join('\n') };
}

function lineOf({ type, timestamp, data }: Message): string {
  const { account, seq } = data;
  return `${timestamp} ${SAYS[type](data)}${part('. Account ', account)}${part(', entry ', seq)}`.replace(/[^\x20-\x7e]/g, '?');
}

const part = (before: string, value: unknown): string => (value === undefined || value === null ? '' : `${before}${value}`);

/** An account value of 0 or less has none. */
const ratioOf = ({ margin_ratio_percent: percent }: Data): string => (percent === null ? 'beyond all' : `${percent} %`);

const positionsOf = ({ positions }: Data): string =>
  (positions as readonly { readonly coin: string; readonly size: string }[])
    .map(({ coin, size }) => `${size} ${coin}`)
    .join(', ');

const shortened = (line: string, charsMax: number): string =>
  line.length <= charsMax ? line : `${line.slice(0, charsMax - 3)}...`;
