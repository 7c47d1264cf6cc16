// Alerts as messages of a Telegram chat that has proven to be its user's (bindChats.ts).

import { alertLines } from '../rules/alertMessage.ts';
import type { AlertEndpointDocument, ToTelegram } from '../store/alertEndpoint.ts';
import { ChannelOff, type Together } from './deliverTogether.ts';
import type { TelegramAnswer, TelegramBot } from './telegramBot.ts';
import type { TryResult } from './tryResult.ts';
import type { TurnParts } from './turnParts.ts';

/** Alerts of one message, each of TEXT_MAX / ALERTS_PER_MESSAGE characters at most: together fewer than the 4,096 that a message may have. */
const ALERTS_PER_MESSAGE = 10;
const TEXT_MAX = 4000;
/** Telegram wants about a message a second in a chat. */
const MESSAGE_PAUSE_MS = 3000;

export function telegramChannel({ bot }: Pick<TurnParts, 'bot'>, { chat }: AlertEndpointDocument & ToTelegram): Together {
  return {
    max: ALERTS_PER_MESSAGE,
    pauseMs: MESSAGE_PAUSE_MS,
    ...(bot !== undefined && { notBeforeMs: bot.quietUntilMs }),
    send: async (_endpoint, bodies) => {
      if (bot === undefined) throw new ChannelOff('this process has no TELEGRAM_TOKEN: messages of endpoints wait');
      if (chat === undefined) return { isDelivered: false, result: 'no chat is bound' };
      const text = alertLines(bodies, TEXT_MAX / ALERTS_PER_MESSAGE).join('\n');
      return outcomeOf(await bot.call('sendMessage', { chat_id: chat.id, text }), bot);
    },
  };
}

/** @throws {ChannelOff} when Telegram does not know the token */
function outcomeOf({ status, result }: TelegramAnswer, bot: TelegramBot): TryResult {
  if (status === 200 && result !== undefined) return { isDelivered: true, result: 'answered 200' };
  if (status === 401 || status === 404) throw new ChannelOff('Telegram does not know the TELEGRAM_TOKEN of this process');
  if (status === undefined) return { isDelivered: false, result: 'Telegram cannot be reached' };
  if (status === 429) return { isDelivered: false, result: 'Telegram asked for a pause (429)', notBeforeMs: bot.quietUntilMs };
  const why: Readonly<Record<number, string>> = {
    400: 'Telegram refused the message (400): the chat may be gone',
    403: 'Telegram refused the message (403): the bot is blocked in the chat',
  };
  return { isDelivered: false, result: why[status] ?? `Telegram answered ${status}` };
}
