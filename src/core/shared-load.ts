/** What is loaded under a key, once for all who ask. A failure is not remembered: what was missing may be put in place. */
export function sharedLoad<T>(all: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
  const known = all.get(key);
  if (known !== undefined) return known;
  const loading = load();
  all.set(key, loading);
  loading.catch(() => all.delete(key));
  return loading;
}

/** What is opened on first use, once for all who ask. A failure is not remembered. */
export class OpenedOnce<Part> {
  readonly #open: () => Promise<Part>;
  #opening: Promise<Part> | undefined;

  constructor(open: () => Promise<Part>) {
    this.#open = open;
  }

  open(): Promise<Part> {
    this.#opening ??= this.#open();
    this.#opening.catch(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Undefined where nobody asked, or it could not be opened. */
  async opened(): Promise<Part | undefined> {
    return this.#opening?.catch(() => undefined);
  }
}
