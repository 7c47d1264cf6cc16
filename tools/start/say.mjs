// The lines that a person reads during a start: one short line per step, no timestamps. Everything else is in log
// files. While a start is under way a terminal's last line is its bar, which other lines push down.
import { Progress } from './progress.mjs';

process.stdout.on('error', () => undefined); // the terminal was closed: no reader is left, but there is still a stop to do

const hasTerminal = () => out.isTTY === true && process.env['TERM'] !== 'dumb';
const isPlain = () => process.env['NO_COLOR'] !== undefined || out.isTTY !== true;
/** How often the bar's seconds are brought up to date, milliseconds. */
const DRAW_EVERY_MS = 500;
const ERASE_LINE = '\r\x1b[2K';

/** Where the lines go. @type {NodeJS.WriteStream} */
let out = process.stdout;

/** For a start whose output a program reads: lines for persons go to stderr. */
export function sayOnStderr() {
  out = process.stderr;
}

/** @type {{ progress: Progress, timer: NodeJS.Timeout | undefined } | undefined} */
let shown;

/** @param {string} text */
export const bold = (text) => (isPlain() ? text : `\x1b[1m${text}\x1b[0m`);
/** @param {string} text */
export const dim = (text) => (isPlain() ? text : `\x1b[2m${text}\x1b[0m`);

/** @param {string} line */
export function say(line) {
  const hasBar = hasTerminal() && shown !== undefined;
  out.write(`${hasBar ? ERASE_LINE : ''}${line}\n`);
  if (hasBar) draw();
}

/** For what a person should not miss. @param {string} line */
export const sayLoud = (line) => say(bold(`! ${line}`));

/** @param {readonly string[]} steps all that `sayStep` will name, in their order */
export function beginProgress(steps) {
  const timer = hasTerminal() ? setInterval(draw, DRAW_EVERY_MS).unref() : undefined;
  shown = { progress: new Progress(steps, Date.now()), timer };
}

/** @param {string} name */
export function sayStep(name) {
  shown?.progress.step(name);
  show();
}

/** Says that some work takes a while, such as a download. @param {string} what without a full stop */
export function sayDoing(what) {
  if (shown === undefined) return say(`${what} …`);
  shown.progress.doing(what);
  show();
}

/** Takes the bar away; the next messages are lines again. */
export function endProgress() {
  if (shown === undefined) return;
  clearInterval(shown.timer);
  shown = undefined;
  if (hasTerminal()) out.write(ERASE_LINE);
}

function show() {
  if (hasTerminal()) draw();
  else if (shown) say(dim(shown.progress.line(Date.now())));
}

function draw() {
  if (shown) out.write(ERASE_LINE + shown.progress.bar(Date.now(), out.columns || 80));
}
