/** What is loaded under a key, once for all who ask. A failure is not remembered: what was missing may be put in place. */
export function sharedLoad<T>(all: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
  const known = all.get(key);
  if (known !== undefined) return known;
  const loading = load();
  all.set(key, loading);
  loading.catch(() => all.delete(key));
  return loading;
}
