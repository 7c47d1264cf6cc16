// The lines that a person reads during a start: one short line per step, no timestamps. Everything else is in log
// files.

process.stdout.on('error', () => undefined); // the terminal was closed: there is nobody to tell, but there is still a stop to do

const plain = process.env['NO_COLOR'] !== undefined || !process.stdout.isTTY;

/** @param {string} text */
export const bold = (text) => (plain ? text : `\x1b[1m${text}\x1b[0m`);
/** @param {string} text */
export const dim = (text) => (plain ? text : `\x1b[2m${text}\x1b[0m`);

/** @param {string} line */
export const say = (line) => void process.stdout.write(`${line}\n`);

/** For what a person should not miss. @param {string} line */
export const sayLoud = (line) => say(bold(`! ${line}`));
