import type { GraphStep } from '../../../index.js';
import { inertName } from './place.js';

/** A step with the name of where it leads: `-link-> b.md#setup`, `<-mention- c.md`; of what both name also its name. */
export function renderStep({ kind, direction, via = '', section }: GraphStep, toName: string): string {
  const arrow = { out: `-${kind}->`, in: `<-${kind}-`, shared: `-${kind} ${inertName(via)}-` }[direction];
  return `${arrow} ${inertName(toName)}${section === undefined ? '' : `#${inertName(section)}`}`;
}
