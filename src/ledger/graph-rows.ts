import type { GraphRows } from '../relations/graph/graph.js';
import { keyOf } from './ledger-text.js';

/** Names are found by a hash of tenant and name: of any length, and of one tenant alone. */
export const nameKeyOf = (tenant: string, name: string): Buffer => keyOf(tenant, name).subarray(0, 16);

export const NO_ROWS: GraphRows = { names: [], references: [] };

/** Whether two documents have the same rows, in whatever order a database sorts them. */
export function sameRows(a: GraphRows, b: GraphRows): boolean {
  if (a.names.length !== b.names.length || a.references.length !== b.references.length) return false;
  const known = new Set(rowTexts(b));
  return rowTexts(a).every((row) => known.has(row));
}

const rowTexts = ({ names, references }: GraphRows): string[] => [
  ...names.map((name) => `name ${name}`),
  ...references.map(({ kind, target }) => `${kind} to ${target}`),
];
