// The version of the published contract, as its documents and `/health` name it.

export const VERSION = '1.0';
