/** A JSON document as its paths and what stands there, sorted; the elements of a list together, and so keys that are data. */
export function shapeOf(document: unknown, isData: (path: string) => boolean = () => false): string[] {
  const found = new Map<string, Set<string>>();
  const note = (path: string, type: string): void => {
    found.set(path, (found.get(path) ?? new Set()).add(type));
  };
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      note(path, 'list');
      for (const one of value) walk(one, `${path}[]`);
    } else if (typeof value === 'object' && value !== null) {
      note(path, 'object');
      for (const [key, member] of Object.entries(value)) walk(member, `${path}.${isData(path) ? '*' : key}`);
    } else note(path, value === null ? 'null' : typeof value);
  };
  walk(document, '$');
  return [...found].map(([path, types]) => `${path}: ${[...types].sort().join(' | ')}`).sort();
}
