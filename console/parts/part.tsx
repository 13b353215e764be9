import type { ComponentChildren } from 'preact';

/** A part of what stands beside, that can be closed. */
export function Part({
  title,
  children,
  isOpen = false,
  onOpen,
}: {
  title: string;
  children: ComponentChildren;
  isOpen?: boolean;
  /** Asks for what it shows. */
  onOpen?: () => void;
}) {
  return (
    <details
      class="part"
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open) onOpen?.();
      }}
    >
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}
