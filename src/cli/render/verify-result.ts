import type { VerifyResult } from '../../index.js';
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
  const next = ok ? '' : ` "${context.command} verify --repair" mends what can be mended.`;
  return `${table}${more}\n\n${mended}${plural(drift.length, 'difference')} found.${next}`;
}
