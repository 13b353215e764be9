import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface WindowedProps {
  readonly count: number;
  /** Height of a row, in pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  /** The row that is seen first, when it changes. */
  readonly first?: number | undefined;
  /** The end of what is known is seen. */
  readonly onEnd?: (() => void) | undefined;
  readonly class?: string;
  /** Its rows are items of a list. */
  readonly isList?: boolean;
}

/** Rows outside of the window that are drawn, so that none is missing while one scrolls. */
const MARGIN = 30;

/** Many rows of one height, of which those are drawn that are seen. */
export function Windowed({
  count,
  rowHeight,
  row,
  label,
  first,
  onEnd,
  isList = false,
  ...rest
}: WindowedProps) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const read = (): void => {
    const { scrollTop, clientHeight } = place.current ?? { scrollTop: 0, clientHeight: 800 };
    setView({ top: scrollTop, height: clientHeight });
  };
  useLayoutEffect(() => {
    if (place.current === null) return;
    if (first !== undefined)
      place.current.scrollTop = Math.max(0, first * rowHeight - place.current.clientHeight / 3);
    read();
  }, [first, rowHeight]);
  useEffect(() => {
    addEventListener('resize', read);
    return () => removeEventListener('resize', read);
  }, []);
  const from = Math.max(0, Math.floor(view.top / rowHeight) - MARGIN);
  const to = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + MARGIN);
  const isAtEnd = to >= count;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, count]);
  const rows: ComponentChildren[] = [];
  for (let index = from; index < to; index++) rows.push(row(index));
  const shifted = { transform: `translateY(${from * rowHeight}px)` };
  return (
    // biome-ignore lint/a11y/useSemanticElements: no field stands in it
    <div
      ref={place}
      class={`windowed ${rest.class ?? ''}`}
      onScroll={read}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <div class="windowed-whole" style={{ height: `${count * rowHeight}px` }}>
        {isList ? <ul style={shifted}>{rows}</ul> : <div style={shifted}>{rows}</div>}
      </div>
    </div>
  );
}
