import { compareText } from '../../src/core/filter.js';
import type { ItemKey } from '../../src/ledger/ledger.js';
import type { PendingBatch, PendingCount, PendingItem } from '../../src/ledger/pending-work.js';
import { itemKeyOf, keyOf } from './ledger-keys.js';

interface Row extends Omit<PendingBatch, 'batch'> {
  readonly item: PendingItem;
}

/** What is pending of one generation. */
export class PendingBooks {
  readonly #rows = new Map<string, Row>();

  clear(): void {
    this.#rows.clear();
  }

  forgetSource(tenant: string, source: string): void {
    for (const [key, row] of this.#rows)
      if (row.tenant === tenant && row.source === source) this.#rows.delete(key);
  }

  add(of: Omit<PendingBatch, 'batch'>, items: readonly Omit<PendingItem, 'begun'>[]): void {
    const { tenant, source } = of;
    for (const item of items)
      this.#rows.set(itemKeyOf({ tenant, source, itemId: item.itemId }), {
        ...of,
        item: { ...item, begun: 0 },
      });
  }

  /** Strikes out items in the versions that were dealt with. */
  settle(items: readonly (ItemKey & { readonly version?: string | undefined })[]): void {
    for (const item of items)
      if (this.#rows.get(itemKeyOf(item))?.item.version === item.version) this.#rows.delete(itemKeyOf(item));
  }

  begin(items: readonly ItemKey[], by: 1 | -1): void {
    for (const key of items.map(itemKeyOf)) {
      const row = this.#rows.get(key);
      if (row === undefined) continue;
      this.#rows.set(key, { ...row, item: { ...row.item, begun: Math.max(0, row.item.begun + by) } });
    }
  }

  items(
    tenant: string,
    source: string,
    {
      batch,
      itemIds,
    }: { readonly batch?: string | undefined; readonly itemIds?: readonly string[] | undefined } = {},
  ): PendingItem[] {
    const wanted = itemIds === undefined ? undefined : new Set(itemIds);
    return this.#of({ tenant, source })
      .map(({ item }) => item)
      .filter((item) => batch === undefined || item.batch === batch)
      .filter(({ itemId }) => wanted?.has(itemId) !== false)
      .sort((a, b) => compareText(a.itemId, b.itemId));
  }

  batches(limit: number, of?: { readonly tenant: string; readonly source: string }): PendingBatch[] {
    const found = new Map<string, { readonly batch: PendingBatch; readonly since: string }>();
    for (const { item, ...place } of this.#of(of)) {
      const key = keyOf(place.tenant, place.source, item.batch);
      const since = found.get(key)?.since ?? item.listedAt;
      found.set(key, {
        batch: { ...place, batch: item.batch },
        since: since < item.listedAt ? since : item.listedAt,
      });
    }
    return [...found.values()]
      .sort((a, b) => compareText(a.since, b.since) || compareText(a.batch.batch, b.batch.batch))
      .slice(0, limit)
      .map(({ batch }) => batch);
  }

  counts(isHeld: (key: string) => boolean): PendingCount[] {
    const groups = new Map<string, Row[]>();
    for (const row of this.#of()) {
      const key = keyOf(row.tenant, row.source, row.project ?? '');
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    return [...groups]
      .sort(([a], [b]) => compareText(a, b))
      .flatMap(([, rows]) => {
        const [first] = rows;
        if (first === undefined) return [];
        const { item: _, ...of } = first;
        const held = rows.filter(({ item: { itemId } }) => isHeld(itemKeyOf({ ...of, itemId })));
        const since = rows.map(({ item }) => item.listedAt).sort(compareText);
        return {
          ...of,
          items: rows.length,
          held: held.length,
          batches: new Set(rows.map(({ item }) => item.batch)).size,
          since: since[0] ?? '',
        };
      });
  }

  #of(of?: { readonly tenant: string; readonly source: string }): Row[] {
    const rows = [...this.#rows.values()];
    return of === undefined
      ? rows
      : rows.filter(({ tenant, source }) => tenant === of.tenant && source === of.source);
  }
}
