import type { ForgetReceipt, ReceiptCheck, RemovedFrom } from '../../../index.js';
import type { CliContext } from '../context.js';
import { oneLine, plural } from './text.js';

/** Names of the first documents that are meant. */
export function examplesOf({ documents, examples = [] }: ForgetReceipt): string {
  const shown = examples.slice(0, 3).map(oneLine);
  return [...shown, ...(documents > shown.length ? ['...'] : [])].join(', ');
}

/** What was forgotten, for a person. */
export function renderReceipt(receipt: ForgetReceipt, { colours, command }: CliContext): string {
  const { state, documents, chunks, keptOut, removed, left, id } = receipt;
  if (state === 'dry') {
    if (documents === 0) return 'Nothing is indexed that was meant, so nothing was forgotten.';
    return [
      `${plural(documents, 'document')} with ${plural(chunks, 'chunk')} would be forgotten: ${examplesOf(receipt)}. Nothing was written.`,
      ...removed.map(lineOf),
    ].join('\n');
  }
  const named = receipt.tenant === 'default' ? id : `${id} --tenant ${quoted(receipt.tenant)}`;
  return [
    colours.bold(`${plural(documents, 'document')} ${documents === 1 ? 'is' : 'are'} forgotten.`),
    ...removed.map(lineOf),
    ...(keptOut === 0
      ? []
      : [`Later runs leave them out; \`${command} forget --undo ${named}\` lets them in again.`]),
    colours.bold('Left to others:'),
    ...left.map(({ where, detail }) => `  ${where}: ${detail}`),
    `Receipt: ${id}. \`${command} verify --receipt ${named}\` looks for what it names.`,
  ].join('\n');
}

/** What was found of a receipt, for a person. */
export function renderReceiptCheck(check: ReceiptCheck, { colours }: CliContext): string {
  const entries = check.looked.reduce((sum, place) => sum + place.entries, 0);
  return [
    check.clean
      ? colours.green(`Nothing of ${check.receipt} was found.`)
      : colours.red(
          check.found.length === 0
            ? `${check.receipt} is not finished.`
            : `Something of ${check.receipt} was found.`,
        ),
    ...check.found.map(lineOf),
    `${entries} entries were looked at:`,
    ...check.looked.map((place) => `  ${place.place}: ${place.entries}`),
    ...check.notices,
    ...check.left.map(({ where, detail }) => `Left to ${where}: ${detail}`),
  ].join('\n');
}

const quoted = (tenant: string): string => (/^[\w.-]+$/.test(tenant) ? tenant : JSON.stringify(tenant));

const lineOf = ({ place, what, count }: RemovedFrom): string => `  ${place}: ${count} ${what}`;
