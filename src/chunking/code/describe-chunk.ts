import type { CodeUnit, TextRange } from '../../core/document.js';
import type { ChunkDescription } from '../chunk-range.js';
import { childrenOf } from './children-of.js';

/** Names kept of one chunk; generated files define thousands. */
const MAX_SYMBOLS = 64;

/** The definitions around a chunk as its heading path, the innermost one's first line as context, and all names in it. */
export function describeChunk(units: readonly CodeUnit[], chunk: TextRange): ChunkDescription {
  const around = enclosing(units, chunk);
  const outer = around.flatMap(({ name }) => name ?? []);
  const inside = around.at(-1)?.children ?? units;
  const symbols = [
    ...(outer.length === 0 ? [] : [outer.join('.')]),
    ...namesWithin(inside, chunk, outer.join('.')),
  ].slice(0, MAX_SYMBOLS);
  const opened = around.findLast((unit) => unit.start < chunk.start);
  const context = opened?.signature;
  return {
    headingPath: around.map(({ symbol }) => symbol ?? ''),
    ...(context === undefined ? {} : { context }),
    ...(symbols.length === 0 ? {} : { metadata: { symbols } }),
  };
}

/** Definitions that hold the whole chunk, outermost first. */
function enclosing(units: readonly CodeUnit[], chunk: TextRange): CodeUnit[] {
  const holder = units.find((unit) => unit.start <= chunk.start && chunk.end <= unit.end);
  if (holder === undefined) return [];
  return [...(holder.symbol === undefined ? [] : [holder]), ...enclosing(childrenOf(holder), chunk)];
}

/** Dotted names of the definitions that begin in the chunk, outside first. */
function namesWithin(units: readonly CodeUnit[], chunk: TextRange, outer: string): string[] {
  return units.flatMap((unit) => {
    if (unit.end <= chunk.start || unit.start >= chunk.end) return [];
    const name = unit.name === undefined ? outer : outer === '' ? unit.name : `${outer}.${unit.name}`;
    const own = unit.name !== undefined && unit.start >= chunk.start ? [name] : [];
    return [...own, ...namesWithin(unit.children, chunk, name)];
  });
}
