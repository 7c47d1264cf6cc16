// Why this side closes a socket: the code tells a program what to do, the reason a person.

export const closeCodes = {
  /** The node stops: connect again, another one answers. */
  goingAway: { code: 1001, reason: 'The server stops. Connect again.' },
  /** Nothing was sent for a minute. */
  idle: { code: 4000, reason: 'Nothing was sent for 60 s. Send pings.' },
  /** The API key was revoked, or the session of the access token has ended. */
  revoked: { code: 4001, reason: 'The API key, or the session, is not valid any more.' },
  /** The trial or the paid time is over. */
  expired: { code: 4003, reason: 'The trial or the subscription has ended.' },
  /** The client reads too slowly. */
  slow: { code: 4008, reason: 'The client reads too slowly.' },
  /** The account's journal cannot be followed without a hole: connect again and subscribe with `fromSeq`. */
  broken: { code: 4010, reason: 'The stream of the account is broken. Connect again with fromSeq.' },
  /** More messages than the plan includes. */
  flood: { code: 4029, reason: 'Too many messages.' },
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];
