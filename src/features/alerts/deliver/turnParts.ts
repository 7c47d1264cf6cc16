// What a turn of deliveries is given, whichever channel its endpoint has.
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Mailer } from '../../../shared/mailer.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { AlertChannel } from '../rules/alertKinds.ts';
import type { WebhookNetwork } from './sendWebhook.ts';
import type { TelegramBot } from './telegramBot.ts';

export interface TurnParts {
  readonly mongo: MongoConnection;
  readonly log: Logger;
  readonly realNow: () => number;
  readonly secrets: Pick<DeploymentSecrets, 'keyFor'>;
  readonly network: WebhookNetwork;
  readonly mailer: Mailer;
  /** Where users see their alerts; a mail names it. */
  readonly publicUrl: string;
  /** Absent: this process has no TELEGRAM_TOKEN. */
  readonly bot?: TelegramBot | undefined;
  /** A try is over. */
  readonly onTry: (outcome: TryOutcome, channel: AlertChannel) => void;
}

export type TryOutcome = 'delivered' | 'failed' | 'dead';

/** A turn that cannot send is repeated after this, ms: the operator has to change something. */
export const OPERATOR_PAUSE_MS = 60_000;
