/** Makes a value once for each key, by its identity; it goes with the key. */
export function madeOnce<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

/** What takes a while to make and not every process needs: made when it is first asked for, and kept. */
export function madeWhenAsked<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
