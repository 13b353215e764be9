import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Marked } from '../../parts/basics.js';
import { Windowed } from '../../parts/windowed.js';
import { Rows } from '../../text/lines.js';
import { countOf } from '../../text/shown.js';
import type { Border, Passage } from './passage.js';

interface SourceProps {
  readonly text: string;
  readonly id: string;
  readonly passage: Passage | undefined;
  /** Where passages begin. */
  readonly borders: readonly Border[];
  readonly words: ReadonlySet<string>;
}

/** Pixels, as the style has them. */
const ROW = 20;
const FEWEST_COLUMNS = 20;

/** The text by lines with their numbers. Lines that are longer than the page is wide go on below. */
export function SourceText({ text, id, passage, borders, words }: SourceProps) {
  const place = useRef<HTMLDivElement>(null);
  const columns = useColumns(place);
  const rows = useMemo(() => new Rows(text, columns), [text, columns]);
  const begun = useMemo(() => begunIn(rows, borders), [rows, borders]);
  const first = passage === undefined ? undefined : rows.indexOf(passage.start);
  return (
    <div ref={place} class="source-text">
      <Windowed
        key={id}
        label={`Text, ${countOf(rows.count)} rows`}
        count={rows.count}
        rowHeight={ROW}
        first={first}
        row={(index) => {
          const { start, end, line } = rows.at(index);
          const isPassage =
            passage !== undefined && start < passage.end && (end > passage.start || start >= passage.start);
          const begins = begun.get(index);
          return (
            <div
              key={index}
              class={`line${isPassage ? ' marked' : ''}${begins === undefined ? '' : ' border'}`}
            >
              <span class="line-number">{line ?? ''}</span>
              <code>
                <Marked text={text.slice(start, end)} words={words} />
              </code>
              {begins === undefined ? null : <span class="border-name">{begins}</span>}
            </div>
          );
        }}
      />
    </div>
  );
}

/** What begins in a row: a page, a passage, or both. */
function begunIn(rows: Rows, borders: readonly Border[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const add = (offset: number, name: string): void => {
    const row = rows.indexOf(offset);
    const before = names.get(row);
    names.set(row, before === undefined ? name : `${before}, ${name}`);
  };
  for (const [page, offset] of pageStarts(borders)) add(offset, `page ${page}`);
  for (const [at, { offsets }] of borders.entries()) add(offsets.start, `passage ${at + 1}`);
  return names;
}

/** Where each page begins: at a break in a passage, or with the first passage on it. */
function pageStarts(borders: readonly Border[]): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const { pages, offsets } of borders) {
    if (pages === undefined) continue;
    if (!starts.has(pages.start)) starts.set(pages.start, offsets.start);
    for (const [at, offset] of (pages.breaks ?? []).entries()) starts.set(pages.start + 1 + at, offset);
  }
  return starts;
}

/** How many characters one row holds, as the page is now. */
function useColumns(place: { readonly current: HTMLElement | null }): number {
  const [columns, setColumns] = useState(100);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const measure = (): void => {
      const probe = document.createElement('code');
      probe.textContent = '0'.repeat(100);
      probe.className = 'probe';
      element.append(probe);
      const width = probe.getBoundingClientRect().width / 100;
      probe.remove();
      const gutter = 76;
      const fits = width > 0 ? Math.floor((element.clientWidth - gutter) / width) : 100;
      setColumns(Math.max(FEWEST_COLUMNS, fits));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return columns;
}
