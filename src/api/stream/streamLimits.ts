// What a plan includes of sockets, as this deployment is configured.
import type { Config } from '../../shared/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';

export interface StreamLimits {
  /** Sockets of one API key. */
  readonly socketsMax: number;
  /** Subscriptions of one socket. */
  readonly subscriptionsMax: number;
  /** Frames that one socket may send in a minute. */
  readonly messagesPerMinute: number;
}

export const streamLimits = (plan: Plan, config: Config): StreamLimits =>
  plan === 'pro'
    ? {
        socketsMax: config.PLAN_PRO_SOCKETS,
        subscriptionsMax: config.PLAN_PRO_SUBSCRIPTIONS,
        messagesPerMinute: config.PLAN_PRO_MESSAGES_PER_MINUTE,
      }
    : {
        socketsMax: config.PLAN_BASIC_SOCKETS,
        subscriptionsMax: config.PLAN_BASIC_SUBSCRIPTIONS,
        messagesPerMinute: config.PLAN_BASIC_MESSAGES_PER_MINUTE,
      };
