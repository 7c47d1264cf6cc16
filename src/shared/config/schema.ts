// The one schema of the configuration: every variable with its unit, default and meaning. A test compares it with
// `.env.example` and with the table in docs/operations.md.
import { type Static, Type } from '@sinclair/typebox';
import { actorsVariables } from './actorsVariables.ts';
import { marketVariables } from './marketVariables.ts';
import { processVariables, reachVariables } from './processVariables.ts';
import { billingVariables, planVariables, usersVariables } from './usersVariables.ts';

/** In the order in which the documents tell them. */
export const ConfigSchema = Type.Object({
  ...processVariables,
  ...usersVariables,
  ...actorsVariables,
  ...marketVariables,
  ...planVariables,
  ...billingVariables,
  ...reachVariables,
});

export type Config = Readonly<Static<typeof ConfigSchema>>;
