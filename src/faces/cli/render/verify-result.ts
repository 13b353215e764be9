import type { VerifyResult } from '../../../index.js';
import type { CliContext } from '../context.js';
import { displayPath } from './place.js';
import { renderTable } from './table.js';
import { oneLine, plural } from './text.js';

const MAX_ROWS = 50;

/** Each difference between sources, ledger and store, and what was mended. */
export function renderVerifyResult(
  { ok, drift, repaired }: VerifyResult,
  { context, withSources }: { readonly context: CliContext; readonly withSources: boolean },
): string {
  const mended = repaired > 0 ? `Mended ${plural(repaired, 'difference')}. ` : '';
  if (ok && drift.length === 0)
    return `${mended}${withSources ? 'Sources, ledger' : 'Ledger'} and store agree.`;
  const rows = drift
    .slice(0, MAX_ROWS)
    .map(({ kind, source, path, detail }) => [
      kind,
      oneLine(path === undefined ? source : displayPath(context, path)),
      oneLine(detail),
    ]);
  const table = renderTable(['kind', 'source', 'detail'], rows, { context });
  const more = drift.length > MAX_ROWS ? `\nand ${drift.length - MAX_ROWS} more; --json lists all` : '';
  const next = ok ? '' : nextSteps(drift, context);
  return `${table}${more}\n\n${mended}${plural(drift.length, 'difference')} found.${next}`;
}

function nextSteps(drift: VerifyResult['drift'], { command }: CliContext): string {
  const readable = drift.filter(({ kind }) => kind === 'field-readable').length;
  const rotate = ` "${command} index", then "${command} encryption rotate" encrypt what is readable.`;
  const repair = ` "${command} verify --repair" mends what can be mended.`;
  return (readable > 0 ? rotate : '') + (readable < drift.length ? repair : '');
}
