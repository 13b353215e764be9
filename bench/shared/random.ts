/** One of the values, each as likely. Throws a RangeError for none. */
export function pick<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError('There is nothing to pick from.');
  return value;
}
