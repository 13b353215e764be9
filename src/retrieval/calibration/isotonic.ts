/**
 * The non-increasing sequence nearest to `values` in least squares (pool adjacent violators; Barlow et al. 1972): where a
 * later value is larger than an earlier one, both become their mean. Linear time.
 */
export function nonIncreasing(values: ArrayLike<number>): Float64Array {
  const means: number[] = [];
  const sizes: number[] = [];
  for (let i = 0; i < values.length; i++) {
    let mean = values[i] ?? 0;
    let size = 1;
    for (let last = means.at(-1); last !== undefined && last < mean; last = means.at(-1)) {
      const lastSize = sizes.pop() ?? 1;
      means.pop();
      mean = (mean * size + last * lastSize) / (size + lastSize);
      size += lastSize;
    }
    means.push(mean);
    sizes.push(size);
  }
  const result = new Float64Array(values.length);
  let position = 0;
  means.forEach((mean, block) => {
    const end = position + (sizes[block] ?? 0);
    result.fill(mean, position, end);
    position = end;
  });
  return result;
}
