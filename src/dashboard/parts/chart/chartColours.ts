// The style sheet's colours for what is drawn on a canvas.

export function chartColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('quiet'),
    line: of('line'),
    accent: of('accent'),
    accentArea: of('accent-area'),
    up: of('up'),
    down: of('down'),
    old: of('old'),
    font: style.fontFamily,
  };
}
