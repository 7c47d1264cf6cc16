// One turn of an endpoint: what is due is sent by the channel of the endpoint, and no delivery of an account before the one ahead of it
// has arrived or is a dead letter. Only one turn of an endpoint runs at a time; what a process that dies has sent and not noted is sent
// again.
import { unreachable } from '../../../shared/domain/assert.ts';
import { collections } from '../../../shared/mongo/mongo.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { withTimeout } from '../../../shared/waiting.ts';
import { alertLines, alertMail } from '../rules/alertMessage.ts';
import { AlertDeliveries, type AlertDeliveryDocument } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument, ToTelegram } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import { deliverLanes } from './deliverLanes.ts';
import { greetChat, type TelegramAnswer, type TelegramBot } from './telegram.ts';
import type { TryResult } from './tryResult.ts';
import { noteTry, OPERATOR_PAUSE_MS, type TurnParts } from './turnParts.ts';
import { fromAny } from './turns.ts';

/** Repeatable: what was noted as delivered is not sent again. */
export async function deliverTurn(parts: TurnParts, endpointId: string): Promise<void> {
  const endpoint = await new AlertEndpoints(parts.mongo).find(endpointId);
  if (endpoint === null) return new AlertDeliveries(parts.mongo).removeOf(endpointId);
  if (endpoint.state !== 'active') return;
  switch (endpoint.channel) {
    case 'webhook':
      return deliverLanes(parts, endpoint);
    case 'mail':
      return deliverTogether(parts, endpoint, mailChannel(parts));
    case 'telegram':
      await greetChat(parts.mongo, endpoint);
      return deliverTogether(parts, endpoint, telegramChannel(parts, endpoint));
    default:
      return unreachable(endpoint);
  }
}

// A turn of an endpoint that a person reads: what is due goes out as one mail or one message of a chat, and the next one follows after a
// pause. So a bot that trades all day does not fill an inbox, and what comes within a pause is read together. Within it each account is in
// order, as a webhook's messages are.

/** How a channel takes several deliveries as one message. */
interface Together {
  /** Alerts of one message. */
  readonly max: number;
  /** Between what has arrived and the next message, ms. */
  readonly pauseMs: number;
  /** Nothing may be sent before this, ms. */
  readonly notBeforeMs?: number;
  /** Never throws, but for `ChannelOff`. @param bodies of deliveries, in their order */
  readonly send: (endpoint: AlertEndpointDocument, bodies: readonly string[]) => Promise<TryResult>;
}

/** The operator has to do something before anything can be sent: it counts as no try. */
class ChannelOff extends Error {
  override name = 'ChannelOff';
}

async function deliverTogether(parts: TurnParts, endpoint: AlertEndpointDocument, channel: Together): Promise<void> {
  const { _id, turn, lastSuccessAt } = endpoint;
  const endpoints = new AlertEndpoints(parts.mongo);
  const endTurn = (atMs: number | undefined): Promise<void> =>
    endpoints.endTurn(_id, { turn, turnAt: atMs === undefined ? null : new Date(atMs) });
  const nowMs = parts.realNow();
  const restMs = Math.max(channel.notBeforeMs ?? 0, lastSuccessAt === undefined ? 0 : lastSuccessAt.getTime() + channel.pauseMs);
  if (restMs > nowMs) return endTurn(restMs);
  const { due, nextMs } = await gather(new AlertDeliveries(parts.mongo), { endpoint, max: channel.max, nowMs });
  if (due.length === 0) return endTurn(nextMs);
  try {
    const bodies = due.map(({ body }) => body);
    const outcome = await channel.send(endpoint, bodies);
    await noteTry(parts, { endpoint, sent: due }, outcome);
    await endpoints.noteFailing(endpoint, outcome.isDelivered ? undefined : new Date(parts.realNow()));
  } catch (error) {
    if (!(error instanceof ChannelOff)) throw error;
    parts.log.error({ endpoint: _id, channel: endpoint.channel }, error.message);
    return endTurn(parts.realNow() + OPERATOR_PAUSE_MS);
  }
  // The next turn looks at what is left.
  return endTurn(parts.realNow());
}

/** What is due of each account, a fair part of each where it is too much. */
async function gather(
  deliveries: AlertDeliveries,
  { endpoint, max, nowMs }: { readonly endpoint: AlertEndpointDocument; readonly max: number; readonly nowMs: number },
): Promise<{ readonly due: readonly AlertDeliveryDocument[]; readonly nextMs: number | undefined }> {
  const lanes = fromAny(await deliveries.lanes(endpoint._id));
  const share = Math.max(1, Math.floor(max / Math.max(1, lanes.length)));
  const due: AlertDeliveryDocument[] = [];
  const later: number[] = [];
  for (const lane of lanes) {
    if (due.length + share > max) break;
    for (const delivery of await deliveries.heads(endpoint._id, lane, share)) {
      const dueMs = delivery.dueAt.getTime();
      if (dueMs > nowMs) {
        later.push(dueMs);
        break;
      }
      due.push(delivery);
    }
  }
  return { due, nextMs: later.length === 0 ? undefined : Math.min(...later) };
}

// Alerts as mails, to the verified address of their user and to no other. The address is read at each try: a mail follows the user, and
// an address that is not verified any more gets none.

/** Alerts of one mail, of about 200 bytes each. */
const ALERTS_PER_MAIL = 100;
/** An endpoint has a mail a minute at most. */
const MAIL_PAUSE_MS = 60_000;
/** Longest that a try takes, ms; each step of the mail server has a bound of its own (mailer.ts). */
const TRY_MS_MAX = 60_000;

type Parts = Pick<TurnParts, 'mongo' | 'mailer' | 'publicUrl'>;

const mailChannel = (parts: Parts): Together => ({
  max: ALERTS_PER_MAIL,
  pauseMs: MAIL_PAUSE_MS,
  send: (endpoint, bodies) => sendMail(parts, endpoint, bodies),
});

async function sendMail(
  { mongo, mailer, publicUrl }: Parts,
  { userId }: AlertEndpointDocument,
  bodies: readonly string[],
): Promise<TryResult> {
  const users = mongo.db.collection<Pick<User, '_id' | 'email' | 'emailVerifiedAt'>>(collections.users);
  const user = await users.findOne({ _id: userId }, { projection: { email: 1, emailVerifiedAt: 1 } });
  if (!(user?.emailVerifiedAt instanceof Date)) return { isDelivered: false, result: 'the user has no verified e-mail address' };
  const mail = { to: user.email, ...alertMail(bodies, `${publicUrl}/alerts`) };
  try {
    await withTimeout(TRY_MS_MAX, 'a mail', mailer(mail));
    return { isDelivered: true, result: 'the mail was handed over' };
  } catch (error) {
    return { isDelivered: false, result: reasonOf(error) };
  }
}

/** Nothing of what the server has said, for it may name the address, or a credential. */
function reasonOf(error: unknown): string {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' ? `the mail server answered ${responseCode}` : 'the mail server cannot be reached';
}

// Alerts as messages of a Telegram chat that has proven to be its user's (telegram.ts).

/** Alerts of one message, each of TEXT_MAX / ALERTS_PER_MESSAGE characters at most: together fewer than the 4,096 that a message may have. */
const ALERTS_PER_MESSAGE = 10;
const TEXT_MAX = 4000;
/** Telegram wants about a message a second in a chat. */
const MESSAGE_PAUSE_MS = 3000;

function telegramChannel({ bot }: Pick<TurnParts, 'bot'>, { chat }: AlertEndpointDocument & ToTelegram): Together {
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
