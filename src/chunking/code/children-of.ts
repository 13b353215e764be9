import type { CodeUnit } from '../../core/document.js';

/** A unit's children; what closes the unit belongs to the last of them, so that no chunk is a bracket. */
export const childrenOf = ({ children, end }: CodeUnit): readonly CodeUnit[] =>
  children.map((child, index) => (index === children.length - 1 ? { ...child, end } : child));
