// Where a new endpoint sends, by its channel: what is asked of the user before, and what is made for it. A webhook gets a secret. Mails go to
// the verified address of the user. A chat has to prove that it is the user's, by a code that it sends to the bot.
import { createHash, randomBytes } from 'node:crypto';
import { isVerified } from '../../../api/auth/acts/userChecks.ts';
import { mayNot } from '../../../api/contract/whoMay.ts';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { Config } from '../../../shared/config/config.ts';
import { readNetworks, readPorts } from '../../../shared/config/publicAddress.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { HOUR_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { readBotName } from '../deliver/telegram.ts';
import type { AlertChannel } from '../rules/alertKinds.ts';
import type { ToMail, ToTelegram, ToWebhook } from '../store/alertEndpoint.ts';
import { readWebhookUrl, webhookSecret } from '../store/webhook.ts';

/** A code is good for so long, and unproven endpoints are there for so long, ms. */
const CODE_MS = HOUR_MS;
/** 128 bits: 22 characters, of the 64 that a link of Telegram's may carry. */
const CODE_BYTES = 16;

type Wanted = { readonly channel: 'webhook'; readonly url: string } | { readonly channel: 'mail' | 'telegram' };

/** @throws {RequestError} when the user cannot have such an endpoint */
export function readTarget(
  { channel = 'webhook', url }: { readonly channel?: AlertChannel | undefined; readonly url?: string | undefined },
  { user, config }: { readonly user: Pick<User, 'emailVerifiedAt'>; readonly config: Config },
): Wanted {
  if (channel === 'webhook') {
    assert(url !== undefined, 'the schema lets no webhook without an address through');
    requireUrl(url, config);
    return { channel, url };
  }
  if (channel === 'mail' && !isVerified(user)) {
    const text = 'Alerts are mailed to a verified address only. Ask for the link at /v1/auth/resend-verification, and open it.';
    throw mayNot('email_not_verified', text);
  }
  if (channel === 'telegram' && config.TELEGRAM_TOKEN === '')
    throw new RequestError(
      409,
      'channel_unavailable',
      'This deployment has no Telegram bot: its operator has set no TELEGRAM_TOKEN.',
    );
  return { channel };
}

interface Made {
  readonly target: (ToWebhook | ToMail | ToTelegram) & { readonly state: 'active' | 'unproven' };
  readonly secret?: string;
  readonly telegram?: {
    readonly code: string;
    readonly bot: string | null;
    readonly link: string | null;
    readonly until: string;
  };
}

export async function makeTarget(
  wanted: Wanted,
  parts: {
    readonly id: string;
    readonly secrets: Pick<DeploymentSecrets, 'keyFor'>;
    readonly realNow: () => number;
    readonly mongo: MongoConnection;
  },
): Promise<Made> {
  switch (wanted.channel) {
    case 'webhook': {
      const { secret, note } = await webhookSecret(parts.secrets, parts.id, 1);
      return { target: { ...wanted, secret: note, state: 'active' }, secret };
    }
    case 'mail':
      return { target: { channel: 'mail', state: 'active' } };
    case 'telegram': {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const until = new Date(parts.realNow() + CODE_MS);
      const bot = (await readBotName(parts.mongo)) ?? null;
      const link = bot === null ? null : `https://t.me/${bot}?start=${code}`;
      const digest = createHash('sha256').update(code).digest('hex');
      return {
        target: { channel: 'telegram', code: { digest, until }, state: 'unproven' },
        telegram: { code, bot, link, until: until.toISOString() },
      };
    }
  }
}

/**
 * Checks the form of an endpoint's address. A delivery looks up where the name leads.
 * @throws {RequestError} 400 for an address that this deployment sends nothing to
 */
export function requireUrl(
  text: string,
  { WEBHOOK_NETWORKS, WEBHOOK_CLOSED_PORTS }: Pick<Config, 'WEBHOOK_NETWORKS' | 'WEBHOOK_CLOSED_PORTS'>,
): void {
  const read = readWebhookUrl(text, readNetworks(WEBHOOK_NETWORKS), readPorts(WEBHOOK_CLOSED_PORTS));
  if (typeof read === 'string') throw new RequestError(400, 'bad_url', `${read}.`);
}
