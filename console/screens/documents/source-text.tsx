import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Marked } from '../../parts/basics.js';
import { Windowed } from '../../parts/windowed.js';
import { Rows } from '../../text/lines.js';
import { countOf, rangeOf } from '../../text/shown.js';
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
  const begun = useMemo(
    () => new Map(borders.map((border, at) => [rows.indexOf(border.offsets.start), { border, n: at + 1 }])),
    [rows, borders],
  );
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
              {begins === undefined ? null : <BorderName border={begins.border} n={begins.n} />}
            </div>
          );
        }}
      />
    </div>
  );
}

/** The number of the passage that begins here, and its page. */
const BorderName = ({ border: { pages }, n }: { border: Border; n: number }) => (
  <span class="border-name">
    passage {n}
    {pages === undefined ? '' : `, ${pages.start === pages.end ? 'page' : 'pages'} ${rangeOf(pages)}`}
  </span>
);

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
