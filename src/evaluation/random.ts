/**
 * Uniform numbers in [0, 1), the same for the same seed on every machine: sfc32 of Chris Doty-Humphrey's PractRand
 * (128 bits of state, period about 2^127 on average), warmed up by its usual 12 rounds.
 */
export function seededRandom(seed: number): () => number {
  let a = 0;
  let b = seed | 0;
  let c = Math.floor(seed / 2 ** 32) | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** The values in a random order (Fisher and Yates); the given list stays as it is. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const result = [...values];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const [a, b] = [result[i], result[j]];
    if (a === undefined || b === undefined) continue;
    result[i] = b;
    result[j] = a;
  }
  return result;
}
