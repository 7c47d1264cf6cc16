// Where the endpoints of this exchange are.

/** @param rest after `/v1/exchanges/perpx/`, e.g. `account/overview` */
export const exchangePath = (rest: string): string => `/v1/exchanges/perpx/${rest}`;
