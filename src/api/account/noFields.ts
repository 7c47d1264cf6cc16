// The body of an endpoint that needs no fields: no body, or any JSON object.
import { Type } from '@sinclair/typebox';
import type { RouteContext } from '../access/requestContext.ts';
import { named } from '../contract/named.ts';
import type { BodyReader } from '../http/body.ts';
import { compileReader } from '../http/requestReader.ts';

const readObject = compileReader(named('NoFields', Type.Object({}, { expected: 'an object' })));

export const NoFields = readObject.schema;

/** @throws {RequestError} 4xx for a body that is no JSON object */
export async function readNoFields(ctx: RouteContext, readBody: BodyReader): Promise<void> {
  const hasBody = ctx.is('*/*') !== null && ctx.request.length !== 0;
  if (hasBody) readObject(await readBody(ctx));
}
