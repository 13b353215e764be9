import type { ComponentChildren } from 'preact';
import type { Load } from '../state/use-load.js';
import { Loading } from './basics.js';
import { Failure } from './failure.js';

interface PanelProps<Value> {
  readonly title: string;
  readonly what: string;
  readonly load: Load<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** A part of the screen that is asked for by itself. */
export function Panel<Value>({ title, what, load, children }: PanelProps<Value>) {
  const { value, error, isLoading, reload } = load;
  return (
    <section class="panel stack" aria-label={title} aria-busy={isLoading}>
      <h2>{title}</h2>
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {value === undefined && isLoading ? <Loading what={what} /> : null}
      {value === undefined ? null : children(value)}
    </section>
  );
}
