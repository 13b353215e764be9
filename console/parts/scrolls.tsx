import type { ComponentChildren } from 'preact';

interface ScrollsProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** What may be wider than the page. It scrolls by itself, and the keyboard reaches it. */
export function Scrolls({ label, class: name = '', children }: ScrollsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a landmark for each table would be noise, and no field stands in it
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <div class={`scrolls ${name}`} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
