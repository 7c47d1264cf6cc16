// The services as a call sees them whose failure lab delays or freezes its feed.
import type { Call, Services } from '../../accounts/services.ts';

/** With the market of then. */
export const asSeen = <S extends Services>({ lab }: Pick<Call, 'lab'>, services: S): S =>
  lab?.seen === undefined ? services : { ...services, market: lab.seen.market, asOfMs: lab.seen.asOfMs };
