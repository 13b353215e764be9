import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** The field that a screen begins with has the focus, unless somebody selected something of the screen already. */
export function useFirstField(field: RefObject<HTMLElement | null>, isWanted = true): void {
  useEffect(() => {
    if (isWanted && isNothingSelected()) field.current?.focus({ preventScroll: true });
  }, []);
}

/** Nothing of the screen: the name of a screen in the menu leads to it. */
export function isNothingSelected(): boolean {
  const active = document.activeElement;
  return active === null || active.matches('body, main, header.top *');
}
