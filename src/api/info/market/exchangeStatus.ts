// `exchangeStatus`: the clock, and no special status, because ccxt reads any other value as maintenance.

import { Type } from '@sinclair/typebox';
import { EpochMs, exactly } from '../../contract/answerValues.ts';
import { named } from '../../contract/named.ts';
import { LIGHT_QUESTION } from '../../domain/requestPrice.ts';
import { marketType } from '../infoType.ts';

const CONTRACT = {
  about: 'The clock.',
  price: LIGHT_QUESTION,
  fields: {},
  answers: named('ExchangeStatus', exactly({ time: EpochMs, specialStatuses: Type.Null() })),
};

export const exchangeStatus = marketType('exchangeStatus', CONTRACT, (_request, services) => ({
  time: services.now(),
  specialStatuses: null,
}));
