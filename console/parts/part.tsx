import type { ComponentChildren } from 'preact';

/** A part of what stands beside, that can be closed. */
export function Part({
  title,
  children,
  isOpen = false,
}: {
  title: string;
  children: ComponentChildren;
  isOpen?: boolean;
}) {
  return (
    <details class="part" open={isOpen}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}
