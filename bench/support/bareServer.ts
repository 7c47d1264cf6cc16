// The bare stack to compare with: Koa, koa-body and ajv with nothing behind them. It reads the same bodies against
// the same schemas and gives the same answers, taken from the real service beforehand. It is a process of its own and
// prints its port on standard output.
import type { AddressInfo } from 'node:net';
import { type TSchema, Type } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { cancel } from '../../src/api/exchange/cancel.ts';
import { order } from '../../src/api/exchange/order.ts';

/** Answers by the type of the action or question. */
const answers = JSON.parse(process.argv[2] ?? '{}') as Record<string, unknown>;

const ajv = new Ajv({ strict: false });
const compile = (schema: TSchema): ValidateFunction => ajv.compile(schema);
const validators = new Map<string, ValidateFunction>([
  ['order', compile(Type.Object({ action: order.schema }))],
  ['cancel', compile(Type.Object({ action: cancel.schema }))],
  ...['clearinghouseState', 'openOrders', 'userFills', 'activeAssetData'].map(
    (type) => [type, compile(Type.Object({ type: Type.String(), user: Type.Optional(Type.String()) }))] as const,
  ),
]);

const app = new Koa();
app.use(koaBody());
app.use((ctx) => {
  const { body } = ctx.request as unknown as { body: { type?: string; action?: { type?: string } } };
  const type = body.action?.type ?? body.type ?? '';
  if (!validators.get(type)?.(body)) ctx.throw(400);
  ctx.body = answers[type];
});

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
