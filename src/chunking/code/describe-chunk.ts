import type { CodeUnit, TextRange } from '../../core/document.js';
import { lastAtOrBefore } from '../../core/last-at-or-before.js';
import type { ChunkDescription } from '../chunk-range.js';

/** Names kept of one chunk; generated files define thousands. */
const MAX_SYMBOLS = 64;

/** The definitions around a chunk as its heading path, the innermost one's first line as context, and all names in it. */
export function describeChunk(units: readonly CodeUnit[], chunk: TextRange): ChunkDescription {
  const around = enclosing(units, chunk);
  const outer = around.flatMap(({ name }) => name ?? []);
  const inner = namesWithin(around.at(-1)?.children ?? units, chunk, outer.join('.'));
  const symbols = [...(outer.length === 0 ? [] : [outer.join('.')]), ...inner].slice(0, MAX_SYMBOLS);
  const defines = namesDefined(units, chunk, '').slice(0, MAX_SYMBOLS);
  const opened = around.findLast((unit) => unit.start < chunk.start);
  const context = opened?.signature;
  return {
    headingPath: around.map(({ symbol }) => symbol ?? ''),
    ...(context === undefined ? {} : { context }),
    ...(defines.length === 0 ? {} : { defines }),
    ...(symbols.length === 0 ? {} : { metadata: { symbols } }),
  };
}

/** Definitions that hold the whole chunk, outermost first. */
function enclosing(units: readonly CodeUnit[], chunk: TextRange, end?: number): CodeUnit[] {
  const index = indexAt(units, chunk.start);
  const found = units[index];
  if (found === undefined) return [];
  // What closes a unit belongs to its last child.
  const holder = index === units.length - 1 ? { ...found, end: end ?? found.end } : found;
  if (holder.start > chunk.start || holder.end < chunk.end) return [];
  return [...(holder.symbol === undefined ? [] : [holder]), ...enclosing(holder.children, chunk, holder.end)];
}

/** Dotted names of the definitions whose name stands in the chunk, outside first. */
function namesDefined(units: readonly CodeUnit[], chunk: TextRange, outer: string): string[] {
  return unitsIn(units, chunk).flatMap((unit) => {
    const name = dotted(outer, unit.name);
    // On a line of its own length the name may stand before the unit.
    const at = Math.max(unit.start, unit.namedAt ?? Number.NEGATIVE_INFINITY);
    const isDefined = unit.name !== undefined && at >= chunk.start && at < chunk.end;
    return [...(isDefined ? [name] : []), ...namesDefined(unit.children, chunk, name)];
  });
}

const dotted = (outer: string, name: string | undefined): string =>
  name === undefined ? outer : outer === '' ? name : `${outer}.${name}`;

/** Dotted names of the definitions that begin in the chunk, outside first. */
function namesWithin(units: readonly CodeUnit[], chunk: TextRange, outer: string): string[] {
  return unitsIn(units, chunk).flatMap((unit) => {
    const name = dotted(outer, unit.name);
    const own = unit.name !== undefined && unit.start >= chunk.start ? [name] : [];
    return [...own, ...namesWithin(unit.children, chunk, name)];
  });
}

/** Units, which are in order, that the chunk has a part of. */
function unitsIn(units: readonly CodeUnit[], { start, end }: TextRange): readonly CodeUnit[] {
  const first = indexAt(units, start);
  const last = indexAt(units, end - 1);
  return units.slice(first, last + 1).filter((unit) => unit.end > start && unit.start < end);
}

const indexAt = (units: readonly CodeUnit[], offset: number): number =>
  lastAtOrBefore(units, offset, (unit) => unit.start);
