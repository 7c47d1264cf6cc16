// The limits of a socket: those of its plan, as this deployment is configured, and those of every plan.
import type { Config } from '../../shared/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';

/** Answers to posts that a socket may wait for, as at the venue. */
export const POSTS_MAX = 100;
/** The venue closes a connection to which it has sent nothing for this long, ms; clients ping more often. */
export const SILENCE_MS_MAX = 60_000;

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
