import { Option } from 'commander';
import { type Count, rangeOf } from '../../operations/fields.js';
import { collectOneOf, wholeNumber } from './parse-options.js';

/** A count of a request, or one whose default a setting or another part states. */
type StatedCount = Omit<Count, 'preset'> & { readonly preset?: number | string };

/** An option for a whole number; bounds and default stand behind its description. */
export function countOption(flags: string, description: string, count: StatedCount): Option {
  const { least = 1, most, preset } = count;
  const range = most === undefined ? '' : `, ${rangeOf({ least, most })}`;
  const unstated = preset === undefined ? '' : ` (default: ${preset})`;
  return new Option(flags, `${description}${range}${unstated}`).argParser(wholeNumber(least, most));
}

/** An option for one of several choices. */
export const choiceOption = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices(choices);

/** An option for some of several choices. */
export const choicesOption = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, `${description}: ${choices.join(', ')}; may be repeated`).argParser(
    collectOneOf(choices),
  );
