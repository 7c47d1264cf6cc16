// `exchangeStatus`: the clock, and no special status: ccxt reads any other value as maintenance.
import { marketType } from './infoType.ts';

export const exchangeStatus = marketType('exchangeStatus', {}, (_request, services) => ({
  time: services.now(),
  specialStatuses: null,
}));
