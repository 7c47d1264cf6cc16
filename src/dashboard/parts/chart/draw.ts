// What draws charts, as one script: the library is nearly all of it, whichever chart is shown.
export { drawCandles } from './drawCandles.ts';
export { drawCurve } from './drawCurve.ts';
export { drawLines } from './drawLines.ts';
