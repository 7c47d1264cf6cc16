// Records of the generation that may be written, for tests in which it does not change.
import { type Format, type FormatSource, NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';

/** One generation for good. */
export const alwaysFormat = (format: Format): FormatSource => ({ current: format, recorded: format });

/** Tests write the newest generation, unless they are about older ones. */
export const newestFormats = alwaysFormat(NEWEST_FORMAT);
