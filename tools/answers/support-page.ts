import type { SupportMeasures } from './measure-pairs.js';
export function supportPage(measures: readonly SupportMeasures[]): string {
  return '';
}
