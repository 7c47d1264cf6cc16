// `assetCtxs`, `allDexsAssetCtxs` and `spotAssetCtxs`: the contexts of all markets at once, in the order of their listing.

import { Type } from '@sinclair/typebox';
import { exactly } from '../../contract/answerValues.ts';
import { requireMeta } from '../../info/coins.ts';
import { DexField, requireMainDex } from '../../info/infoType.ts';
import { toAssetContexts } from '../../info/meta.ts';
import { AssetContextAnswer, SpotContexts } from '../../info/orderAnswers.ts';
import { readSpotContexts } from '../../info/upstreamTypes.ts';
import type { Channel } from '../channel.ts';
import { channelContract } from '../channelContract.ts';
import type { ChannelParts } from '../channels.ts';
import { followedSource } from '../followedSource.ts';
import { toMessage } from '../message.ts';
import { polledSource } from '../polledSource.ts';
import { sharedChannel } from '../sharedChannel.ts';
import { subscriptionReader } from '../subscriptionReader.ts';

/** Some 100 KB a message: contexts of single coins change many times a second. */
const EVERY_MS = 1000;

const readOne = subscriptionReader('assetCtxs', { dex: DexField }, { dex: '' });
const readAll = subscriptionReader('allDexsAssetCtxs', {});
const readSpot = subscriptionReader('spotAssetCtxs', {});

const Contexts = Type.Array(AssetContextAnswer, { description: 'In the order of the listing.' });
const MainDex = Type.Literal('', { description: 'The main dex, which has no name.' });

export const assetCtxsContracts = [
  channelContract(readOne, {
    about: 'Contexts of all perpetuals, at most once a second.',
    says: { assetCtxs: exactly({ dex: MainDex, ctxs: Contexts }) },
  }),
  channelContract(readAll, {
    about: 'The same by dex: there is one.',
    says: { allDexsAssetCtxs: exactly({ ctxs: Type.Array(Type.Tuple([MainDex, Contexts])) }) },
  }),
  channelContract(readSpot, {
    about: 'Contexts of all spot pairs, every 2 seconds at most.',
    says: { spotAssetCtxs: SpotContexts },
  }),
];

export const assetCtxs = ({ services, market }: ChannelParts): Channel =>
  sharedChannel({
    type: 'assetCtxs',
    read: (sent) => {
      const subscription = readOne(sent);
      requireMainDex(subscription);
      requireMeta(services);
      return subscription;
    },
    open: (_subscription, audience) => {
      const make = () => toMessage('assetCtxs', { dex: '', ctxs: toAssetContexts(services) });
      return followedSource(market, ['contexts'], { make, audience, everyMs: EVERY_MS });
    },
  });

export const allDexsAssetCtxs = ({ services, market }: ChannelParts): Channel =>
  sharedChannel({
    type: 'allDexsAssetCtxs',
    read: (sent) => {
      requireMeta(services);
      return readAll(sent);
    },
    open: (_subscription, audience) => {
      const make = () => toMessage('allDexsAssetCtxs', { ctxs: [['', toAssetContexts(services)]] });
      return followedSource(market, ['contexts'], { make, audience, everyMs: EVERY_MS });
    },
  });

export const spotAssetCtxs = ({ services }: ChannelParts): Channel =>
  sharedChannel({
    type: 'spotAssetCtxs',
    read: readSpot,
    open: (_subscription, audience) =>
      polledSource(services, async () => toMessage('spotAssetCtxs', await readSpotContexts(services)), audience),
  });
