// Commands as the actions that clients send: the API's translation in reverse.
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { OrderRequest } from '../../src/actors/core/messages/order.ts';

const TIF = { gtc: 'Gtc', ioc: 'Ioc', alo: 'Alo', frontendMarket: 'FrontendMarket' } as const;

const toWireOrder = ({ asset, side, limitPrice, size, reduceOnly, type, cloid }: OrderRequest): object => ({
  ...{ a: asset, b: side === 'buy', p: limitPrice, s: size, r: reduceOnly },
  t:
    type.kind === 'limit'
      ? { limit: { tif: TIF[type.timeInForce] } }
      : { trigger: { isMarket: type.isMarket, triggerPx: type.triggerPrice, tpsl: type.tpsl } },
  ...(cloid !== undefined && { c: cloid }),
});

/** @throws for a command that no case of the benches sends */
export function toAction(command: AccountCommand): object {
  switch (command.type) {
    case 'placeOrders':
      return { type: 'order', orders: command.orders.map(toWireOrder), grouping: command.grouping };
    case 'cancelOrders':
      return command.cancels.every(({ target }) => 'oid' in target)
        ? {
            type: 'cancel',
            cancels: command.cancels.map(({ asset, target }) => ({ a: asset, o: 'oid' in target && target.oid })),
          }
        : {
            type: 'cancelByCloid',
            cancels: command.cancels.map(({ asset, target }) => ({ asset, cloid: 'cloid' in target && target.cloid })),
          };
    case 'modifyOrders': {
      const modifies = command.modifies.map(({ target, order }) => ({
        oid: 'oid' in target ? target.oid : target.cloid,
        order: toWireOrder(order),
      }));
      return { type: 'batchModify', modifies, ...(command.alwaysPlace && { a: true }) };
    }
    default:
      throw new Error(`no action for ${command.type}`);
  }
}
