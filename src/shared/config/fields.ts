// The two kinds of variables that most are.
import { Type } from '@sinclair/typebox';

/** A whole number with its bounds, both included. */
export const whole = (
  description: string,
  defaultValue: number,
  minimum = 1,
  maximum = Number.MAX_SAFE_INTEGER,
): ReturnType<typeof Type.Integer> => Type.Integer({ description, default: defaultValue, minimum, maximum });
/** A text that is not empty. */
export const text = (description: string, defaultValue: string): ReturnType<typeof Type.String> =>
  Type.String({ description, default: defaultValue, minLength: 1 });
