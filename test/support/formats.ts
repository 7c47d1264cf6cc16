// A deployment's record of the generation that may be written, for tests in which it stays as it is.
import type { Format, FormatSource } from '../../src/shared/domain/formats.ts';

/** One generation for good. */
export const alwaysFormat = (format: Format): FormatSource => ({ current: format, recorded: format });
