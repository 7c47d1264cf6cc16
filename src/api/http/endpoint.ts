// An endpoint, whole: its part of the published contract (contract/endpoint.ts) and the code that answers. The registry lists all of
// them, and the server mounts what it lists.

import type { RouteContext } from '../access/requestContext.ts';
import type { Endpoint } from '../contract/endpoint.ts';

type Handler = (ctx: RouteContext) => Promise<void> | void;

/** `Parts`: what the endpoint needs of the node. */
export type MountedEndpoint<Parts = never> = Endpoint & {
  /** Called once, when the node starts. @returns what answers a request */
  readonly handle: (parts: Parts) => Handler;
};

/** Keeps the types of the schemas at hand. */
export const endpoint = <E extends MountedEndpoint>(whole: E): E => whole;
