/** Keys and list positions from the root of a configuration. */
export type ConfigPath = readonly (string | number)[];

/** `['rag', 'sources', 0, 'paths']` as people write it: `rag.sources[0].paths`. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

/** A plain object: neither a list, nor null, nor an instance of a class. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The value at a path, or undefined where there is none. */
export function valueAt(root: unknown, path: ConfigPath): unknown {
  let value = root;
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)];
    else if (isRecord(value)) value = Object.hasOwn(value, part) ? value[String(part)] : undefined;
    else return undefined;
  }
  return value;
}

/** Every value that is neither a list of objects nor an object, with its path, in order. */
export function* leavesOf(value: unknown, path: ConfigPath = []): Generator<[ConfigPath, unknown]> {
  if (isRecord(value)) {
    for (const [key, child] of Object.entries(value))
      if (child !== undefined) yield* leavesOf(child, [...path, key]);
  } else if (Array.isArray(value) && value.some(isRecord)) {
    for (const [index, child] of value.entries()) yield* leavesOf(child, [...path, index]);
  } else {
    yield [path, value];
  }
}
