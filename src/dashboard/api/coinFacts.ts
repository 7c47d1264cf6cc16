// What orders need to know of a coin: its number, its grid and how far it can be levered. Asked for once.
import { exchangePath } from '../state/paths.ts';
import { Hint } from './answer.ts';
import { post } from './http.ts';

export interface CoinFacts {
  /** Number of the coin in orders. */
  readonly asset: number;
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  readonly isIsolatedOnly: boolean;
}

interface Meta {
  readonly universe: readonly {
    readonly name: string;
    readonly szDecimals: number;
    readonly maxLeverage: number;
    readonly onlyIsolated?: boolean;
  }[];
}

let coins: Promise<ReadonlyMap<string, CoinFacts>> | undefined;

/** @throws Error for a coin that is not traded here, and as `post` does */
export async function factsOf(coin: string): Promise<CoinFacts> {
  coins ??= readCoins().catch((error: unknown) => {
    coins = undefined;
    throw error;
  });
  const facts = (await coins).get(coin);
  if (facts === undefined) throw new Hint(`${coin} is not traded here.`);
  return facts;
}

async function readCoins(): Promise<ReadonlyMap<string, CoinFacts>> {
  const { body } = await post<Meta>(exchangePath('info'), { type: 'meta' });
  return new Map(
    body.universe.map(({ name, szDecimals, maxLeverage, onlyIsolated }, asset) => [
      name,
      { asset, sizeDecimals: szDecimals, maxLeverage, isIsolatedOnly: onlyIsolated === true },
    ]),
  );
}
