// The shape of plain JSON: the way to each value and its kind. Two forms of one shape are read by the same code.

/** Ways like `journal[]<orderFilled>.evidence.tick: string`. A `type` or a `kind` tells forms apart. */
export function shapesOf(form: unknown): Set<string> {
  const shapes = new Set<string>();
  addShapes(form, '', shapes);
  return shapes;
}

function addShapes(form: unknown, way: string, shapes: Set<string>): void {
  if (Array.isArray(form)) {
    for (const each of form) addShapes(each, `${way}[]`, shapes);
    return;
  }
  if (typeof form !== 'object' || form === null) {
    shapes.add(`${way}: ${form === null ? 'null' : typeof form}`);
    return;
  }
  const { type, kind } = form as { type?: unknown; kind?: unknown };
  const name = [type, kind].filter((each) => typeof each === 'string').join(' ');
  for (const [key, value] of Object.entries(form)) addShapes(value, `${way}${name && `<${name}>`}.${key}`, shapes);
}
