import { useEffect, useRef } from 'preact/hooks';

const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Single keys, while nobody types a text or holds a modifier. A key whose work returns false is left to the browser. */
export function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyped(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const own = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (own === undefined || own() === false) return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
