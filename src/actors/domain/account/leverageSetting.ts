// Which margin mode and leverage count for a coin: those of the user, or the venue's default (trading-rules 4.2).
import type { Asset } from '../../../market/domain/asset.ts';
import type { Account, LeverageSetting } from './account.ts';

/** Leverage without a setting, where the coin allows it. */
const LEVERAGE_DEFAULT = 20;

/** Cross (isolated on isolated-only coins), 20x or the coin's maximum. */
export function defaultLeverage(asset: Asset): LeverageSetting {
  return {
    marginMode: asset.onlyIsolated ? 'isolated' : 'cross',
    leverage: Math.min(LEVERAGE_DEFAULT, asset.maxLeverage),
  };
}

/** The setting in force for a coin, whether it holds a position or not. */
export function leverageOf(account: Pick<Account, 'leverage'>, asset: Asset): LeverageSetting {
  return account.leverage.get(asset.id) ?? defaultLeverage(asset);
}
