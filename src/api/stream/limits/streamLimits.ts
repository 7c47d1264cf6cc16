// The limits of a socket: those of its plan, as this deployment is configured, and those of every plan.
import type { Config } from '../../../shared/config/config.ts';
import { type Plan, plans } from '../../../shared/domain/plan.ts';
import type { PaceLimits } from './pace.ts';

/** Answers to posts that a socket may wait for, as at the venue. */
export const POSTS_MAX = 100;
/** The venue closes a connection to which it has sent nothing for this long, ms; clients ping more often. */
export const SILENCE_MS_MAX = 60_000;

/** Longest message that is no post, bytes; those of clients have some 150. Each subscription keeps its text. */
export const SHORT_MESSAGE_BYTES_MAX = 1024;

export interface StreamLimits extends PaceLimits {
  /** Sockets of one API key. */
  readonly socketsMax: number;
  /** Subscriptions of one socket. */
  readonly subscriptionsMax: number;
}

/** The pace of all sockets of a user on one node. */
export function paceOfUser({ messagesPerMinute, bytesPerMinute }: PaceLimits, plan: Plan): PaceLimits {
  const { apiKeysMax } = plans[plan];
  return { messagesPerMinute: apiKeysMax * messagesPerMinute, bytesPerMinute: apiKeysMax * bytesPerMinute };
}

/** Subscriptions of a socket, and of all sockets of a user on one node. */
export function subscriptionsMaxOf({ subscriptionsMax }: StreamLimits, plan: Plan): { ofSocket: number; ofUser: number } {
  return { ofSocket: subscriptionsMax, ofUser: plans[plan].apiKeysMax * subscriptionsMax };
}

export const streamLimits = (plan: Plan, config: Config): StreamLimits =>
  plan === 'pro'
    ? {
        socketsMax: config.PLAN_PRO_SOCKETS,
        subscriptionsMax: config.PLAN_PRO_SUBSCRIPTIONS,
        messagesPerMinute: config.PLAN_PRO_MESSAGES_PER_MINUTE,
        bytesPerMinute: config.PLAN_PRO_SOCKET_BYTES_PER_MINUTE,
      }
    : {
        socketsMax: config.PLAN_BASIC_SOCKETS,
        subscriptionsMax: config.PLAN_BASIC_SUBSCRIPTIONS,
        messagesPerMinute: config.PLAN_BASIC_MESSAGES_PER_MINUTE,
        bytesPerMinute: config.PLAN_BASIC_SOCKET_BYTES_PER_MINUTE,
      };
