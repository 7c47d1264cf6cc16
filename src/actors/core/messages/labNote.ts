// What the failure lab of an API key has drawn for one request, and what it does to single orders (docs/failure-lab.md). Plain JSON:
// the API node draws, and the account keeps the draw in its journal and beside the orders that it concerns.
import type { LabFault, LabRefusal } from '../../../shared/domain/labProfile.ts';

export interface LabNote {
  /** Id of the API key whose profile has drawn. */
  readonly key: string;
  readonly on: 'exchange' | 'info';
  /** Of the request among those that the profile has drawn for, from 1 on. */
  readonly number: number;
  /** When the request came to the API node, ms. */
  readonly atMs: number;
  /** The draw that decides about faults, in [0, 1). */
  readonly draw: number;
  readonly fault?: LabFault;
  /** How long the action waits in the account before it is decided, ms. */
  readonly delayMs?: number;
  /** How long its answer is held back, ms. */
  readonly answerMs?: number;
}

/** What the lab does to one order. Absent fields: nothing of that kind. */
export interface OrderScript {
  /** The cloid prefix of the profile that the order's cloid begins with; absent where none decided. */
  readonly prefix?: string;
  /** The draw of `partialFill`, in [0, 1). */
  readonly draw?: number;
  /** It is refused with the venue's words for this reason. */
  readonly refuse?: LabRefusal;
  /** At once it fills no more than this percentage of its size. */
  readonly fillPercent?: number;
  /** Once it rests, nothing fills it for so long, ms; null = ever. */
  readonly holdMs?: number | null;
}

/** A draw as it stands beside an order: what the request did to it, and what the lab did to the order itself. */
export interface OrderNote extends LabNote {
  readonly act: 'place' | 'modify' | 'cancel';
  readonly script?: OrderScript;
}
